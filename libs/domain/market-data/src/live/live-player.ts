import { writeConnected, FeedClock } from '../normalizer';
import type { PlayedInstrument } from '../played-instrument';
import { liveVenueOf } from '../venues';
import type { LogPosition, PlacedEvent } from '../log-writer';
import { addRejections, noRejections, type RejectionCounts } from '../rejections';
import { AllChannelGap, type LiveStart, wholeTo } from './all-channel-gap';
import { ChannelSilence, type Silence, Heard, carriesTradesOn, isJoinedBy, TICKS_MS_MAX, writeHeard } from './heard';
import { gapsToReport, lacking, LoggedMarket, EMPTY_TAIL } from './log-tail';
import { LiveLog } from './live-log';
import type { LiveSession } from './live-session';

/**
 * Turns the connections of one live symbol into its log (pass 0). Deterministic: times come from the caller and never
 * go backwards. For gaps of lost connections see `AllChannelGap`.
 */
export class LivePlayer {
  private readonly log: LiveLog;
  private readonly clock: FeedClock;
  private readonly past: RejectionCounts = noRejections();
  private place: LogPosition;
  private session: LiveSession | undefined;
  private readonly gap: AllChannelGap;
  private isStarted: boolean;
  private isUnlisted = false;
  private readonly silent: ChannelSilence;
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
    this.isStarted = start.opening !== 'first';
    if (start.opening !== 'first') this.gap.openBehind(start);
  }

  get rejections(): Readonly<RejectionCounts> {
    const total = { ...this.past };
    addRejections(total, this.session?.rejections);
    total.duplicate += this.log.duplicateTotal;
    return total;
  }

  /** The log is complete up to this exchange time; later data must be backfilled. */
  get knownToMs(): number | undefined {
    return this.wholeToMs ?? (this.start.opening === 'first' ? undefined : this.start.openingStartMs);
  }

  get needsSnapshot(): boolean {
    return this.session?.needsSnapshot === true;
  }

  get silence(): Silence | undefined {
    return this.session === undefined ? undefined : this.silent.due(this.session.isTradeQuiet);
  }

  resubscribed(): void {
    this.silent.resubscribed();
  }

  get isConnected(): boolean {
    return this.session !== undefined;
  }

  get couldTakeOver(): boolean {
    return this.heard?.isReady(this.instrument.closingLagMs) === true;
  }

  get standsBy(): boolean {
    return this.heard !== undefined;
  }

  get epoch(): number {
    return this.place.epoch;
  }

  get nextOrdinal(): number {
    return this.log.nextOrdinal;
  }

  take(): readonly PlacedEvent[] {
    return this.log.take();
  }

  /** Advances the clock; everything received before must have been passed in. An empty log starts with the first connection. */
  advanceTo(nowMs: number): void {
    if (!this.isStarted || nowMs - this.log.clockMs > TICKS_MS_MAX) this.clock.skipTo(nowMs);
    else this.clock.advanceTo(nowMs);
    this.settle();
  }

  connected(nowMs: number): void {
    this.advanceTo(nowMs);
    this.isStarted = true;
    this.isUnlisted = false;
    this.endSession();
    this.silent.connected();
    this.log.beginConnection();
    writeConnected(this.place, this.log);
    this.session = liveVenueOf(this.instrument.venue).open(this.place, this.log);
  }

  accept(receivedMs: number, line: string): void {
    if (this.session === undefined) return;
    this.advanceTo(receivedMs);
    const { session } = this;
    this.silent.take(() => session.accept(line));
    this.settle();
  }

  overflowed(nowMs: number): void {
    if (this.session === undefined) return;
    this.advanceTo(nowMs);
    this.session.overflowed();
  }

  /** Discards the book and opens a gap over all channels: the frame's content is unknown. */
  frameRefused(nowMs: number): void {
    if (this.session === undefined) return;
    this.advanceTo(nowMs);
    this.session.overflowed();
    this.log.beginConnection();
    this.gap.from('overflow', this.heardToMs);
  }

  disconnected(nowMs: number, reason: string): void {
    if (this.session === undefined) return;
    this.advanceTo(nowMs);
    this.leave(reason);
    this.gap.from('disconnected', this.heardToMs);
  }

  /** The venue does not list the instrument; persists across connections. Idempotent. */
  unlisted(nowMs: number, reason: string): void {
    this.advanceTo(nowMs);
    this.isStarted = true;
    if (this.isConnected) this.leave(reason);
    else if (!this.isUnlisted) this.log.status({ type: 'disconnected', reason });
    this.isUnlisted = true;
    this.gap.replace('not_listed', this.heardToMs);
  }

  /**
   * Retains 30 s of output for a takeover.
   * @param unwritten entries taken but not yet logged
   */
  standBy(unwritten: readonly PlacedEvent[] = []): void {
    const { log, gap, isConnected } = this;
    const isWhole = isConnected && gap.gapId === undefined && log.bookMs !== undefined;
    this.heard = new Heard({ openGaps: log.gaps.list(), newestMs: log.lastExchangeMs, isConnected, isWhole });
    this.heard.push(unwritten);
    gap.inherit([]);
  }

  keep(): void {
    this.heard?.push(this.log.take());
  }

  /**
   * Continues another feed's log at the original times. Without a gap if this player missed nothing since before the
   * log's end; otherwise as after a restart.
   * @param start includes the log's tail unless the log is empty
   * @returns true if there is no gap
   */
  takeOver(start: LiveStart): boolean {
    const { heard, log, gap, instrument } = this;
    if (heard === undefined) throw new Error('only a standby player can take over');
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
    this.isStarted = true;
    this.place = { ...this.place, epoch: start.epoch, firstOrdinal: start.firstOrdinal };
    log.follow(this.place, tail, logged);
    log.clockMs = isJoined ? tail.feedClockMs : Math.max(tail.feedClockMs, all[0]?.dueFeedClockMs ?? nowMs);
    if (!isJoined) {
      gap.forget();
      if (start.opening !== 'first') gap.openBehind(start);
      if (this.isConnected) writeConnected(this.place, log);
      log.tradesJoin = carriesTradesOn(all, heard.sessionOrdinal, tail);
    }
    gapsToReport(heard.openBefore(), all, tail, { wholeToMs, isJoined }).forEach((open) => log.status(open));
    writeHeard(log, entries, ({ event }) => {
      // A book of an earlier connection does not count for this one.
      if (event.ordinal < heard.sessionOrdinal) log.bookMs = undefined;
      else this.settle();
    });
    gap.inherit(log.gaps.list().filter(({ gapId }) => !ownGaps.has(gapId) && gapId !== gap.gapId));
    if (log.clockMs > nowMs) this.clock.skipTo(log.clockMs + 1);
    log.clockMs = Math.max(log.clockMs, nowMs);
    if (this.isUnlisted) gap.replace('not_listed', this.heardToMs);
    this.settle();
    return isJoined;
  }

  /** Continues behind a gap that covers entries not yet taken. The connection and open gaps persist. */
  moveTo({ epoch, firstOrdinal, openingStartMs, clockMs }: LiveStart, reason: 'log_lost' | 'feed_down'): void {
    this.advanceTo(clockMs);
    this.isStarted = true;
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

  /** Exchange time up to which no more data can arrive; undefined before any. */
  private get wholeToMs(): number | undefined {
    return wholeTo(this.log.lastExchangeMs, this.instrument);
  }

  private get heardToMs(): number {
    return this.wholeToMs ?? this.log.clockMs;
  }

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

  private settle(): void {
    if (this.session !== undefined) this.gap.settle();
  }

  private endSession(): void {
    if (this.session === undefined) return;
    addRejections(this.past, this.session.rejections);
    this.session = undefined;
  }
}
