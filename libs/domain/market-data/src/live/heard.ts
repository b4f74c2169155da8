import type { DeepBook } from '../book-side';
import type { FeedStatus, MarketEvent, TimedChannel } from '../event';
import type { PlacedEvent } from '../log-writer';
import { OpenGaps, type Identified, type LogTail } from './log-tail';
import { TICK_MS } from '../normalizer';
import type { LiveLog } from './live-log';
import { gapIdOf } from '../gap-id';
import type { PlayedInstrument } from '../played-instrument';

const KEPT_MS = 30_000;

const SPANS_MAX = 16;

/** Longer jumps of the feed clock are not filled with ticks. */
export const TICKS_MS_MAX = 3_600_000;

type Gap = Extract<FeedStatus, { type: 'gap' }>;

interface HeardFrom {
  readonly openGaps: readonly Gap[];
  readonly newestMs: number;
  readonly isConnected: boolean;
  readonly isWhole: boolean;
}

/** Exchange times without any loss; an ongoing span ends at infinity. */
interface WholeSpan {
  readonly fromMs: number;
  toMs: number;
}

export class Heard {
  private kept: PlacedEvent[] = [];
  private readonly gapsBefore = new OpenGaps();
  private readonly spans: WholeSpan[] = [];
  private isConnected: boolean;
  private awaitsBook = false;
  private newestMs: number;
  private droppedMs: number;
  private deepest: { readonly ordinal: number; readonly deepBook: DeepBook } | undefined;
  sessionOrdinal = 0;

  constructor({ openGaps, newestMs, isConnected, isWhole }: HeardFrom) {
    openGaps.forEach((gap) => this.gapsBefore.apply(gap));
    this.newestMs = newestMs;
    this.droppedMs = newestMs;
    this.isConnected = isConnected;
    if (isWhole) this.spans.push({ fromMs: newestMs, toMs: Infinity });
    else this.awaitsBook = isConnected;
  }

  push(entries: readonly PlacedEvent[]): void {
    for (const { event, dueFeedClockMs, deepBook } of entries) {
      this.kept.push({ event, dueFeedClockMs });
      if (deepBook !== undefined) this.deepest = { ordinal: event.ordinal, deepBook };
      this.follow(event);
    }
    const oldestMs = (entries.at(-1)?.dueFeedClockMs ?? 0) - KEPT_MS;
    const fresh = this.kept.findIndex(({ dueFeedClockMs }) => dueFeedClockMs >= oldestMs);
    if (fresh > 0) this.kept.splice(0, fresh).forEach(({ event }) => this.drop(event));
  }

  entries(): readonly PlacedEvent[] {
    const { deepest } = this;
    return this.kept.map((entry) => (entry.event.ordinal === deepest?.ordinal ? { ...entry, deepBook: deepest.deepBook } : entry));
  }

  openBefore(): readonly Gap[] {
    return this.gapsBefore.list();
  }

  keepsAfter(exchangeMs: number): boolean {
    return this.droppedMs <= exchangeMs;
  }

  /** Allows for the closing lag between channels. */
  spanAt(exchangeMs: number, closingLagMs: number): Readonly<WholeSpan> | undefined {
    return this.spans.find(({ fromMs, toMs }) => fromMs + closingLagMs <= exchangeMs && exchangeMs <= toMs);
  }

  isReady(closingLagMs: number): boolean {
    const last = this.spans.at(-1);
    return last?.toMs === Infinity && last.fromMs + 2 * closingLagMs <= this.newestMs;
  }

  private follow(event: MarketEvent): void {
    if (event.kind === 'feed_status') return this.followStatus(event.status, event.ordinal);
    if (event.kind === 'tick') return;
    if (!event.exchangeTsIsReceiveTime) this.newestMs = Math.max(this.newestMs, event.exchangeTsMs);
    if (event.kind !== 'book' || !this.awaitsBook) return;
    this.awaitsBook = false;
    this.spans.push({ fromMs: event.exchangeTsMs, toMs: Infinity });
    if (this.spans.length > SPANS_MAX) this.spans.shift();
  }

  private followStatus(status: FeedStatus, ordinal: number): void {
    if (status.type === 'connected') this.isConnected = true;
    else if (status.type === 'disconnected') this.isConnected = false;
    else if (status.type !== 'gap' || status.channel !== undefined || status.endMs !== 0) return;
    this.sessionOrdinal = ordinal;
    this.awaitsBook = this.isConnected;
    const last = this.spans.at(-1);
    if (last !== undefined) last.toMs = Math.min(last.toMs, status.type === 'gap' ? status.startMs : this.newestMs);
  }

  private drop(event: MarketEvent): void {
    if (event.kind === 'feed_status') this.gapsBefore.apply(event.status);
    else if (event.kind !== 'tick' && !event.exchangeTsIsReceiveTime) this.droppedMs = Math.max(this.droppedMs, event.exchangeTsMs);
  }
}

/** The standby must have received everything since before `wholeToMs`, including the log's newest trade. */
export function isJoinedBy(
  heard: Heard,
  tail: LogTail,
  { wholeToMs, closingLagMs }: { readonly wholeToMs: number; readonly closingLagMs: number },
  knows: (entry: Identified) => boolean,
): boolean {
  const span = heard.spanAt(wholeToMs, closingLagMs);
  if (span === undefined || !heard.keepsAfter(wholeToMs)) return false;
  const isDue = ({ kind, exchangeTsMs }: Identified): boolean =>
    kind === 'trade' && span.fromMs + closingLagMs <= exchangeTsMs && exchangeTsMs <= wholeToMs;
  const newest = tail.known.filter(isDue).at(-1);
  return newest === undefined || knows(newest);
}

/** One of the trades is in the log, or has the next id. */
export function carriesTradesOn(entries: readonly PlacedEvent[], sessionOrdinal: number, tail: LogTail): boolean {
  const logged = tail.known.filter(({ kind }) => kind === 'trade');
  const ids = new Set(logged.map(({ venueId }) => venueId));
  const following = Number(logged.at(-1)?.venueId) + 1;
  return entries.some(
    ({ event: { kind, ordinal, venueId } }) =>
      kind === 'trade' && ordinal >= sessionOrdinal && (ids.has(venueId) || Number(venueId) === following),
  );
}

export function writeHeard(log: LiveLog, entries: readonly PlacedEvent[], onWritten: (entry: PlacedEvent) => void): void {
  let nextTickMs = (Math.floor(log.clockMs / TICK_MS) + 1) * TICK_MS;
  for (const entry of entries) {
    const { event, dueFeedClockMs } = entry;
    const ticksToMs = event.kind === 'tick' ? dueFeedClockMs : dueFeedClockMs - 1;
    if (ticksToMs - nextTickMs > TICKS_MS_MAX) nextTickMs = Math.ceil(ticksToMs / TICK_MS) * TICK_MS;
    for (; nextTickMs <= ticksToMs; nextTickMs += TICK_MS) {
      log.clockMs = nextTickMs;
      log.tick();
    }
    if (event.kind === 'tick') continue;
    log.clockMs = Math.max(log.clockMs, dueFeedClockMs);
    log.writeAgain(entry);
    onWritten(entry);
  }
}

export interface Silence {
  readonly due: 'resubscribe' | 'reconnect';
  readonly reason: string;
}

/** Cap for the limit of a channel that stays silent across reconnects. */
const LIMIT_MS_MAX = 900_000;

/**
 * On a connection that answers pings, a channel is resubscribed after its staleness limit; after the same time again,
 * the connection is replaced.
 */
export class ChannelSilence {
  private readonly limitsMs: ReadonlyMap<TimedChannel, number>;
  private readonly heardMs = new Map<TimedChannel, number>();
  private readonly resubscribedMs = new Map<TimedChannel, number>();
  /** No message on this connection yet: the venue may be closed. */
  private readonly unheard = new Set<TimedChannel>();
  private readonly fruitless = new Map<TimedChannel, number>();

  constructor(
    private readonly instrument: PlayedInstrument,
    private readonly log: LiveLog,
  ) {
    const { channels, bookStalenessMs, tradeStalenessMs, contextStalenessMs } = instrument;
    const all: readonly (readonly [TimedChannel, number])[] = [
      ['book', bookStalenessMs],
      ['trade', tradeStalenessMs],
      ['context', contextStalenessMs],
    ];
    this.limitsMs = new Map(all.filter(([channel]) => channels.includes(channel)));
  }

  connected(): void {
    for (const channel of this.limitsMs.keys()) {
      this.heardMs.set(channel, this.log.clockMs);
      this.unheard.add(channel);
    }
    this.resubscribedMs.clear();
  }

  /**
   * Ids reveal missed books and trades; a context silent beyond its limit leaves a gap.
   * @param accept processes the message and returns the channel of its subscription
   */
  take(accept: () => TimedChannel | undefined): void {
    const contextMs = this.log.lastMs.get('context');
    const channel = accept();
    if (channel === undefined) return;
    if (channel === 'context' && this.silent.includes(channel)) this.missed(channel, contextMs, this.log.clockMs);
    this.heardMs.set(channel, this.log.clockMs);
    this.resubscribedMs.delete(channel);
    this.unheard.delete(channel);
    this.fruitless.delete(channel);
  }

  resubscribed(): void {
    for (const channel of this.silent) if (!this.resubscribedMs.has(channel)) this.resubscribedMs.set(channel, this.log.clockMs);
  }

  /** On disconnect, silent channels get their own gap up to `toMs`, where the gap of all channels starts. */
  lost(toMs: number, isTradeQuiet: boolean): void {
    for (const channel of this.silent) if (channel !== 'trade' || !isTradeQuiet) this.missed(channel, this.log.lastMs.get(channel), toMs);
    for (const channel of this.resubscribedMs.keys()) this.fruitless.set(channel, (this.fruitless.get(channel) ?? 0) + 1);
    this.heardMs.clear();
  }

  due(isTradeQuiet: boolean): Silence | undefined {
    const { clockMs } = this.log;
    const silent = this.silent.filter((channel) => channel !== 'trade' || !isTradeQuiet);
    const lost = silent.find((channel) => clockMs - (this.resubscribedMs.get(channel) ?? clockMs) > this.limitMs(channel));
    if (lost !== undefined) return { due: 'reconnect', reason: this.sentence(lost) };
    const pending = silent.find((channel) => !this.resubscribedMs.has(channel));
    return pending && { due: 'resubscribe', reason: this.sentence(pending) };
  }

  private get silent(): readonly TimedChannel[] {
    return [...this.heardMs].flatMap(([channel, heardMs]) => (this.log.clockMs - heardMs > this.limitMs(channel) ? [channel] : []));
  }

  private limitMs(channel: TimedChannel): number {
    const limitMs = this.limitsMs.get(channel) ?? Infinity;
    const doublings = (this.fruitless.get(channel) ?? 0) + (this.unheard.has(channel) ? 1 : 0);
    return Math.min(limitMs * 2 ** doublings, Math.max(limitMs, LIMIT_MS_MAX));
  }

  private sentence(channel: TimedChannel): string {
    const silentMs = this.log.clockMs - (this.heardMs.get(channel) ?? this.log.clockMs);
    return `no ${channel} message for ${(silentMs / 1_000).toFixed(1)} s`;
  }

  private missed(channel: TimedChannel, startMs: number | undefined, endMs: number): void {
    if (startMs === undefined || endMs <= startMs) return;
    const { venue, symbol } = this.instrument;
    const lastVenueId = `@${this.log.clockMs}`;
    const gapId = gapIdOf({ venue, symbol, pass: 0, reason: 'disconnected', channel, startMs, lastVenueId });
    this.log.status({ type: 'gap', gapId, channel, startMs, endMs, reason: 'disconnected' });
  }
}
