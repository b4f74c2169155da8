import { writeConnected } from '../normalizer';
import { FeedClock } from '../feed-clock';
import type { PlayedInstrument } from '../played-instrument';
import { liveVenueOf } from '../venues';
import type { LogPlace, PlacedEvent } from '../log-writer';
import { addRejections, noRejections, type RejectionCounts } from '../rejections';
import { AllChannelGap } from './all-channel-gap';
import { ChannelSilence, type Silence } from './channel-silence';
import { Heard, carriesTradesOn, isJoinedBy, TICKS_MS_MAX, writeHeard } from './heard';
import { gapsToTell, lacking, LoggedMarket } from './logged-market';
import { LiveLog } from './live-log';
import { EMPTY_TAIL } from './log-tail';
import type { LiveSession } from './live-session';
import { type LiveStart, wholeTo } from './live-start';

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
  private readonly gap: AllChannelGap;
  private isBegun: boolean;
  private isUnlisted = false;
  private readonly silent: ChannelSilence;
  /** Absent: it writes the log. */
  private heard: Heard | undefined;

  constructor(
    private readonly instrument: PlayedInstrument,
    private start: LiveStart,
  ) {
    this.place = { instrument, pass: 0, epoch: start.epoch, firstOrdinal: start.firstOrdinal };
    this.log = new LiveLog(this.place, true);
    this.gap = new AllChannelGap(instrument, this.log);
    this.silent = new ChannelSilence(instrument, this.log);
    this.clock = new FeedClock(this.log, { tick: () => this.session?.tick() }, start.clockMs);
    this.log.lastExchangeMs = start.tail?.lastExchangeMs ?? 0;
    start.tail?.known.forEach((entry) => this.log.remember(entry));
    this.isBegun = start.opening !== 'first';
    if (start.opening !== 'first') this.gap.openBehind(start);
  }

  /** Counts of what was rejected so far, over all connections. */
  get rejections(): Readonly<RejectionCounts> {
    const total = { ...this.past };
    addRejections(total, this.session?.rejections);
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

  /** The action due for a channel that has been silent for too long. */
  get silence(): Silence | undefined {
    return this.session === undefined ? undefined : this.silent.due(this.session.isTradeQuiet);
  }

  /** The instrument was subscribed again because of the silence. */
  resubscribed(): void {
    this.silent.resubscribed();
  }

  get isConnected(): boolean {
    return this.session !== undefined;
  }

  /** It stands by, and a log that ends now it could carry on without a gap. */
  get couldTakeOver(): boolean {
    return this.heard?.isReady(this.instrument.closingLagMs) === true;
  }

  get standsBy(): boolean {
    return this.heard !== undefined;
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
    this.isUnlisted = false;
    this.endSession();
    this.silent.connected();
    this.log.beginConnection();
    writeConnected(this.place, this.log);
    this.session = liveVenueOf(this.instrument.venue).open(this.place, this.log);
  }

  /** @param line a line of a recording; its own receive time counts for nothing */
  accept(receivedMs: number, line: string): void {
    if (this.session === undefined) return;
    this.advanceTo(receivedMs);
    const { session } = this;
    this.silent.take(() => session.accept(line));
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
    this.gap.from('overflow', this.heardToMs);
  }

  /** The connection ended. */
  disconnected(nowMs: number, reason: string): void {
    if (this.session === undefined) return;
    this.advanceTo(nowMs);
    this.leave(reason);
    this.gap.from('disconnected', this.heardToMs);
  }

  /** The venue does not list the instrument, also over lost connections. Repeated calls change nothing. */
  unlisted(nowMs: number, reason: string): void {
    this.advanceTo(nowMs);
    this.isBegun = true;
    if (this.isConnected) this.leave(reason);
    else if (!this.isUnlisted) this.log.status({ type: 'disconnected', reason });
    this.isUnlisted = true;
    this.gap.replace('not_listed', this.heardToMs);
  }

  /**
   * Another feed writes the log: what this player makes is kept for 30 s, in case it has to carry the log on.
   * @param unwritten what was taken and is not in the log
   */
  standBy(unwritten: readonly PlacedEvent[] = []): void {
    const { log, gap, isConnected } = this;
    const isWhole = isConnected && gap.gapId === undefined && log.bookMs !== undefined;
    this.heard = new Heard({ openGaps: log.gaps.list(), newestMs: log.lastExchangeMs, isConnected, isWhole });
    this.heard.push(unwritten);
    gap.inherit([]);
  }

  /** While it stands by, in place of `take`. */
  keep(): void {
    this.heard?.push(this.log.take());
  }

  /**
   * Carries on the log of another feed behind its end: writes what that lacks of what this player has heard, at the times at which it came,
   * and from there on everything. Where this player has missed nothing since before the end of the log, and knows its newest trade, the
   * log is as if one feed had written it; else it goes on behind a gap, as after a restart.
   * @param start with the tail of the log, unless that is empty
   * @returns whether it goes on without a gap
   */
  takeOver(start: LiveStart): boolean {
    const { heard, log, gap, instrument } = this;
    if (heard === undefined) throw new Error('only a player that stands by takes over');
    this.keep();
    this.heard = undefined;
    const { tail = EMPTY_TAIL } = start;
    const { closingLagMs } = instrument;
    const wholeToMs = wholeTo(tail.lastExchangeMs, instrument);
    const isJoined = wholeToMs !== undefined && isJoinedBy(heard, tail, { wholeToMs, closingLagMs }, (entry) => log.knows(entry));
    const all = heard.entries();
    const logged = new LoggedMarket(all, tail, closingLagMs);
    const entries = lacking(all, tail, logged, { wholeToMs, isJoined });
    const ownGaps = new Set(log.gaps.list().map(({ gapId }) => gapId));
    const nowMs = log.clockMs;

    this.start = start;
    this.isBegun = true;
    this.place = { ...this.place, epoch: start.epoch, firstOrdinal: start.firstOrdinal };
    log.follow(this.place, tail, logged);
    log.clockMs = isJoined ? tail.feedClockMs : Math.max(tail.feedClockMs, all[0]?.dueFeedClockMs ?? nowMs);
    if (!isJoined) {
      gap.forget();
      if (start.opening !== 'first') gap.openBehind(start);
      if (this.isConnected) writeConnected(this.place, log);
      log.tradesJoin = carriesTradesOn(all, heard.sessionOrdinal, tail);
    }
    gapsToTell(heard.openBefore(), all, tail, { wholeToMs, isJoined }).forEach((open) => log.status(open));
    writeHeard(log, entries, ({ event }) => {
      // A book of an earlier connection says nothing of this one.
      if (event.ordinal < heard.sessionOrdinal) log.bookMs = undefined;
      else this.settle();
    });
    gap.inherit(log.gaps.list().filter(({ gapId }) => !ownGaps.has(gapId) && gapId !== gap.gapId));
    // A log that is ahead of this clock has its ticks up to there.
    if (log.clockMs > nowMs) this.clock.skipTo(log.clockMs + 1);
    log.clockMs = Math.max(log.clockMs, nowMs);
    if (this.isUnlisted) gap.replace('not_listed', this.heardToMs);
    this.settle();
    return isJoined;
  }

  /**
   * The log was lost, or is another writer's up to there: goes on at another place, behind a gap that ends now; what was written and not
   * taken is in that gap. The connection stays, and gaps that are open stay so.
   */
  moveTo({ epoch, firstOrdinal, openingStartMs, clockMs }: LiveStart, reason: 'log_lost' | 'feed_down'): void {
    this.advanceTo(clockMs);
    this.isBegun = true;
    const open = this.log.gaps.list();
    this.heard = undefined;
    this.place = { ...this.place, epoch, firstOrdinal };
    this.log.moveTo({ epoch, firstOrdinal });
    const endMs = Math.max(openingStartMs, this.log.lastExchangeMs, this.log.clockMs);
    this.log.status({
      type: 'gap',
      gapId: this.gap.idOf(reason, openingStartMs, `${epoch}-${firstOrdinal}`),
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

  /** Where a gap of all channels begins that opens now. */
  private get heardToMs(): number {
    return this.wholeToMs ?? this.log.clockMs;
  }

  /** Ends the session, and the gaps of single channels where one of all channels begins. */
  private leave(reason: string): void {
    const wasQuiet = this.session?.isTradeQuiet === true;
    this.session?.ended();
    this.endSession();
    this.log.status({ type: 'disconnected', reason });
    for (const { gapId, channel, startMs, reason: why } of this.log.gaps.list()) {
      if (channel === undefined) continue;
      this.log.status({ type: 'gap', gapId, channel, startMs, endMs: Math.max(startMs, this.heardToMs), reason: why });
    }
    this.silent.lost(this.heardToMs, wasQuiet);
  }

  /** Ends what can be ended now. */
  private settle(): void {
    if (this.session !== undefined) this.gap.settle();
  }

  private endSession(): void {
    if (this.session === undefined) return;
    addRejections(this.past, this.session.rejections);
    this.session = undefined;
  }
}
