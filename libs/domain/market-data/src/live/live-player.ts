import { writeConnected } from '../connected';
import type { GapReason } from '../event';
import { FeedClock } from '../feed-clock';
import { gapIdOf } from '../gap-id';
import type { PlayedInstrument } from '../played-instrument';
import { liveVenueOf } from '../venues';
import type { LogPlace, PlacedEvent } from '../log-writer';
import { noRejections, type RejectionCounts } from '../rejections';
import { LiveLog } from './live-log';
import type { LiveSession } from './live-session';
import type { LogTail } from './log-tail';

/** How long after its first book a connection may take to show that its trades carry on those before, milliseconds. */
const JOIN_MS_MAX = 5_000;
/** A hole of the feed clock longer than this is not filled with ticks, milliseconds. */
const TICKS_MS_MAX = 3_600_000;

/** Where a live log begins or goes on. */
export interface LiveStart {
  readonly epoch: number;
  readonly firstOrdinal: number;
  /** `first`: nothing came before. */
  readonly opening: 'first' | 'feed_down' | 'log_lost';
  /** Exchange time from which something may be missing; heeded unless `first`. */
  readonly openingStartMs: number;
  /** The feed clock does not begin before this. */
  readonly clockMs: number;
  readonly tail?: LogTail;
}

type HoleReason = Exclude<GapReason, 'sequence_gap'>;

/** A hole over all channels that is open, the newest exchange time heard before it, and since when the present connection has a book. */
interface Hole {
  readonly gapId: string;
  readonly startMs: number;
  readonly heardMs: number;
  bookSince?: { readonly exchangeMs: number; readonly clockMs: number };
}

/**
 * Makes the log of one live symbol, pass 0, out of what its connections bring: entries of the messages, ticks at every multiple of
 * 250 ms of the feed clock, and what the feed itself has to say. Times are the feed clock's and must come in order; one that falls
 * counts as the one before. `take` gives what was written. Pure: no clock of its own, no randomness.
 *
 * A connection that ends leaves a gap open over all channels. It ends at the first book of the next connection: as resynced
 * when that one's trades are known to carry on those before, else, 5 s later, as resumed: what was missed is not made up for.
 */
export class LivePlayer {
  private readonly log: LiveLog;
  private readonly clock: FeedClock;
  private readonly past: RejectionCounts = noRejections();
  private place: LogPlace;
  private session: LiveSession | undefined;
  private hole: Hole | undefined;
  private isBegun: boolean;

  constructor(
    private readonly instrument: PlayedInstrument,
    private readonly start: LiveStart,
  ) {
    this.place = { instrument, pass: 0, epoch: start.epoch, firstOrdinal: start.firstOrdinal };
    this.log = new LiveLog(this.place, true);
    this.clock = new FeedClock(this.log, { tick: () => this.session?.tick() }, start.clockMs);
    this.log.lastExchangeMs = start.tail?.lastExchangeMs ?? 0;
    start.tail?.known.forEach((entry) => this.log.remember(entry));
    this.isBegun = start.opening !== 'first';
    if (start.opening === 'first') return;
    const endedMs = Math.max(start.tail?.lastExchangeMs ?? 0, start.tail?.feedClockMs ?? 0);
    const open = start.tail?.openGaps ?? [];
    for (const { gapId, channel, startMs, reason } of open)
      this.log.status({ type: 'gap', gapId, channel, startMs, endMs: Math.max(startMs, endedMs), reason });
    const holeWasOpen = open.some(({ channel }) => channel === undefined);
    const openingStartMs = downSinceMs(start, instrument);
    this.openHole(start.opening, holeWasOpen ? Math.max(openingStartMs, endedMs) : openingStartMs);
  }

  /** Counts of what was rejected so far, over all connections. */
  get rejections(): Readonly<RejectionCounts> {
    const total = { ...this.past };
    for (const reason of Object.keys(total) as (keyof RejectionCounts)[]) total[reason] += this.session?.rejections[reason] ?? 0;
    total.duplicate += this.log.duplicateTotal;
    return total;
  }

  /**
   * Up to when the log has heard the venue, milliseconds, also before this player; undefined where it never did. What came since is what a
   * connection has to catch up with.
   */
  get knownToMs(): number | undefined {
    return this.wholeToMs ?? (this.start.opening === 'first' ? undefined : this.start.openingStartMs);
  }

  /** Something is missing that the connection must be asked for. */
  get needsSnapshot(): boolean {
    return this.session?.needsSnapshot === true;
  }

  get isConnected(): boolean {
    return this.session !== undefined;
  }

  /** A book of the present connection is in the log, and no gap that concerns it is open. */
  get hasBook(): boolean {
    return (
      this.isConnected &&
      this.log.bookMs !== undefined &&
      !this.log.gaps.list().some(({ channel }) => channel === undefined || channel === 'book')
    );
  }

  get epoch(): number {
    return this.place.epoch;
  }

  /** The ordinal of what is written next. */
  get nextOrdinal(): number {
    return this.log.nextOrdinal;
  }

  /** What was written since the last call. */
  take(): readonly PlacedEvent[] {
    return this.log.take();
  }

  /**
   * Time has come to this moment, and nothing was received up to it that was not told. A log that nothing came before begins with the first
   * connection.
   */
  advanceTo(nowMs: number): void {
    if (!this.isBegun || nowMs - this.log.clockMs > TICKS_MS_MAX) this.clock.skipTo(nowMs);
    else this.clock.advanceTo(nowMs);
    this.settle();
  }

  connected(nowMs: number): void {
    this.advanceTo(nowMs);
    this.isBegun = true;
    this.endSession();
    this.log.beginConnection();
    writeConnected(this.place, this.log);
    this.session = liveVenueOf(this.instrument.venue).open(this.place, this.log);
  }

  /** @param line a line of a recording; its own receive time counts for nothing */
  accept(receivedMs: number, line: string): void {
    if (this.session === undefined) return;
    this.advanceTo(receivedMs);
    this.session.accept(line);
    this.settle();
  }

  /** Messages of the book were let go. */
  overflowed(nowMs: number): void {
    if (this.session === undefined) return;
    this.advanceTo(nowMs);
    this.session.overflowed();
  }

  /**
   * A frame came that was not read: what it carried of any channel is unknown. The book is given up, and a gap of all channels ends as
   * one of a new connection does.
   */
  frameRefused(nowMs: number): void {
    if (this.session === undefined) return;
    this.advanceTo(nowMs);
    this.session.overflowed();
    this.log.beginConnection();
    this.holeFrom('overflow', this.wholeToMs ?? this.log.clockMs);
  }

  /** The connection ended. */
  disconnected(nowMs: number, reason: string): void {
    if (this.session === undefined) return;
    this.advanceTo(nowMs);
    this.session.ended();
    this.endSession();
    this.log.status({ type: 'disconnected', reason });
    const startMs = this.wholeToMs ?? this.log.clockMs;
    for (const { gapId, channel, startMs: gapStartMs, reason: why } of this.log.gaps
      .list()
      .filter(({ channel }) => channel !== undefined)) {
      this.log.status({ type: 'gap', gapId, channel, startMs: gapStartMs, endMs: Math.max(gapStartMs, startMs), reason: why });
    }
    this.holeFrom('disconnected', startMs);
  }

  /**
   * The log was lost, or is another writer's up to there: goes on at another place, behind a gap that ends now; what was written and not
   * taken is in that gap. The connection stays, and gaps that are open stay so.
   */
  moveTo({ epoch, firstOrdinal, openingStartMs, clockMs }: LiveStart, reason: 'log_lost' | 'feed_down'): void {
    this.advanceTo(clockMs);
    this.isBegun = true;
    const open = this.log.gaps.list();
    this.place = { ...this.place, epoch, firstOrdinal };
    this.log.moveTo({ epoch, firstOrdinal });
    const endMs = Math.max(openingStartMs, this.log.lastExchangeMs, this.log.clockMs);
    this.log.status({
      type: 'gap',
      gapId: this.gapId(reason, openingStartMs, `${epoch}-${firstOrdinal}`),
      startMs: openingStartMs,
      endMs,
      reason,
    });
    if (this.isConnected) writeConnected(this.place, this.log);
    for (const gap of open) this.log.status(gap);
  }

  /** Exchange time up to which nothing is on its way any more; undefined while nothing was heard. */
  private get wholeToMs(): number | undefined {
    return wholeTo(this.log.lastExchangeMs, this.instrument);
  }

  /** A hole that is open already goes on. */
  private holeFrom(reason: HoleReason, startMs: number): void {
    if (this.hole === undefined) this.openHole(reason, startMs);
    else this.hole.bookSince = undefined;
  }

  private openHole(reason: HoleReason, startMs: number): void {
    const gapId = this.gapId(reason, startMs, `${this.log.lastVenueId}@${this.log.clockMs}`);
    this.hole = { gapId, startMs, heardMs: Math.max(startMs, this.log.lastExchangeMs) };
    this.log.status({ type: 'gap', gapId, startMs, endMs: 0, reason });
  }

  /** Ends what can be ended now. */
  private settle(): void {
    const { bookMs, clockMs } = this.log;
    if (this.session === undefined || bookMs === undefined) return;
    if (this.hole === undefined) return;
    this.hole.bookSince ??= { exchangeMs: bookMs, clockMs };
    const { gapId, startMs, heardMs, bookSince } = this.hole;
    const endMs = Math.max(heardMs, bookSince.exchangeMs);
    const isJoined = this.log.tradesJoin || !this.instrument.channels.includes('trade');
    if (!isJoined && clockMs - bookSince.clockMs < JOIN_MS_MAX) return;
    const gap = this.log.gaps.list().find((open) => open.gapId === gapId);
    this.hole = undefined;
    if (isJoined) this.log.status({ type: 'resynced', gapId, startMs, endMs });
    // Its first book may be one of before the gap, which says nothing of when it came: what was traded until then was missed all the same.
    else if (gap !== undefined) this.log.status({ ...gap, endMs: endMs > heardMs ? endMs : Math.max(endMs, bookSince.clockMs) });
  }

  private endSession(): void {
    if (this.session === undefined) return;
    const { rejections } = this.session;
    for (const reason of Object.keys(rejections) as (keyof RejectionCounts)[]) this.past[reason] += rejections[reason];
    this.session = undefined;
  }

  private gapId(reason: HoleReason, startMs: number, lastVenueId: string): string {
    const { venue, symbol } = this.instrument;
    return gapIdOf({ venue, symbol, pass: 0, reason, startMs, lastVenueId });
  }
}

/** A feed that stopped had heard the venue last at the newest time that its log holds: the ticks behind it say nothing of the market. */
function downSinceMs({ opening, openingStartMs, tail }: LiveStart, instrument: PlayedInstrument): number {
  const wholeToMs = opening === 'feed_down' ? wholeTo(tail?.lastExchangeMs ?? 0, instrument) : undefined;
  return wholeToMs === undefined ? openingStartMs : Math.min(openingStartMs, wholeToMs);
}

/**
 * Channels of a venue come up to the closing lag apart: behind the newest time of one, another may still lack what is not older than that.
 */
function wholeTo(lastExchangeMs: number, { closingLagMs }: PlayedInstrument): number | undefined {
  return lastExchangeMs === 0 ? undefined : Math.max(0, lastExchangeMs - closingLagMs);
}
