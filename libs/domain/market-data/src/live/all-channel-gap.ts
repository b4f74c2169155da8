import type { GapReason } from '../event';
import { gapIdOf } from '../gap-id';
import type { PlayedInstrument } from '../played-instrument';
import type { LiveLog } from './live-log';
import { downSinceMs, type LiveStart } from './live-start';
import type { LogTail } from './log-tail';

/** How long after its first book a connection may take to show that its trades carry on those before, milliseconds. */
const JOIN_MS_MAX = 5_000;

type HoleReason = Exclude<GapReason, 'sequence_gap'>;
type OpenGap = LogTail['openGaps'][number];

/** A hole over all channels that is open, the newest exchange time heard before it, and since when the present connection has a book. */
interface Hole {
  readonly gapId: string;
  readonly reason: HoleReason;
  readonly startMs: number;
  readonly heardMs: number;
  bookSince?: { readonly exchangeMs: number; readonly clockMs: number };
}

/**
 * The gap over all channels that a connection leaves, or that a feed begins behind. It ends at the first book of the next connection: as
 * resynced when that one's trades are known to carry on those before, else, 5 s later, as resumed: what was missed is not made up for.
 */
export class AllChannelGap {
  private hole: Hole | undefined;
  /** Gaps that another feed left open in the log, of which this one has not missed anything: they end with its first book. */
  private inherited: readonly OpenGap[] = [];

  constructor(
    private readonly instrument: PlayedInstrument,
    private readonly log: LiveLog,
  ) {}

  get gapId(): string | undefined {
    return this.hole?.gapId;
  }

  /** A hole that is open already goes on. */
  from(reason: HoleReason, startMs: number): void {
    if (this.hole === undefined) this.open(reason, startMs);
    else this.hole.bookSince = undefined;
  }

  open(reason: HoleReason, startMs: number): void {
    const gapId = this.idOf(reason, startMs, `${this.log.lastVenueId}@${this.log.clockMs}`);
    this.hole = { gapId, reason, startMs, heardMs: Math.max(startMs, this.log.lastExchangeMs) };
    this.log.status({ type: 'gap', gapId, startMs, endMs: 0, reason });
  }

  /** A hole that is open for another reason ends now, where one of this reason begins. */
  replace(reason: HoleReason, startMs: number): void {
    const { hole } = this;
    if (hole === undefined) return this.open(reason, startMs);
    if (hole.reason === reason) return;
    const endMs = Math.max(hole.startMs, this.log.clockMs);
    this.log.status({ type: 'gap', gapId: hole.gapId, startMs: hole.startMs, endMs, reason: hole.reason });
    this.open(reason, endMs);
  }

  /** Ends the gaps that the log left open where the log ends, and opens the gap behind it. */
  openBehind(start: LiveStart): void {
    const endedMs = Math.max(start.tail?.lastExchangeMs ?? 0, start.tail?.feedClockMs ?? 0);
    const open = start.tail?.openGaps ?? [];
    for (const { gapId, channel, startMs, reason } of open)
      this.log.status({ type: 'gap', gapId, channel, startMs, endMs: Math.max(startMs, endedMs), reason });
    const wasOpen = open.some(({ channel }) => channel === undefined);
    const startMs = downSinceMs(start, this.instrument);
    this.open(start.opening === 'log_lost' ? 'log_lost' : 'feed_down', wasOpen ? Math.max(startMs, endedMs) : startMs);
  }

  /** It is not of the log that is written from now on. */
  forget(): void {
    this.hole = undefined;
    this.inherited = [];
  }

  inherit(gaps: readonly OpenGap[]): void {
    this.inherited = gaps;
  }

  /** Ends what can be ended now. */
  settle(): void {
    const { bookMs, clockMs } = this.log;
    if (bookMs === undefined) return;
    if (this.hole === undefined) return this.endInherited(bookMs);
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

  idOf(reason: HoleReason, startMs: number, lastVenueId: string): string {
    const { venue, symbol } = this.instrument;
    return gapIdOf({ venue, symbol, pass: 0, reason, startMs, lastVenueId });
  }

  private endInherited(bookMs: number): void {
    const { inherited } = this;
    this.inherited = [];
    for (const { gapId, channel, startMs } of inherited)
      this.log.status({ type: 'resynced', gapId, channel, startMs, endMs: Math.max(startMs, bookMs) });
  }
}
