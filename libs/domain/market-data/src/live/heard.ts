import type { DeepBook } from '../deep-book';
import type { FeedStatus, MarketEvent } from '../event';
import type { PlacedEvent } from '../log-writer';
import { OpenGaps, type Identified, type LogTail } from './log-tail';
import { TICK_MS } from '../feed-clock';
import type { LiveLog } from './live-log';

/** How much of what it heard a standby keeps, by its own clock, milliseconds. */
const KEPT_MS = 30_000;

/** Spans that are remembered: far more connections than begin and end in 30 s. */
const SPANS_MAX = 16;

/** A hole of the feed clock longer than this is not filled with ticks, milliseconds. */
export const TICKS_MS_MAX = 3_600_000;

type Gap = Extract<FeedStatus, { type: 'gap' }>;

/** How things are when a player begins to stand by. */
interface HeardFrom {
  readonly openGaps: readonly Gap[];
  /** Newest exchange time that it has heard; 0 when nothing. */
  readonly newestMs: number;
  readonly isConnected: boolean;
  /** It has a book of its connection, and no gap of all channels is open. */
  readonly isWhole: boolean;
}

/** Exchange times between which nothing of any channel was missed; one that goes on ends at infinity. */
interface WholeSpan {
  readonly fromMs: number;
  toMs: number;
}

/** What a player that stands by has made of its own connection: entries of the newest 30 s, and the spans in which it missed nothing. */
export class Heard {
  private kept: PlacedEvent[] = [];
  private readonly gapsBefore = new OpenGaps();
  private readonly spans: WholeSpan[] = [];
  private isConnected: boolean;
  private awaitsBook = false;
  /** Newest exchange time of the market heard, and of what is no longer kept. */
  private newestMs: number;
  private droppedMs: number;
  private deepest: { readonly ordinal: number; readonly deepBook: DeepBook } | undefined;
  /** Ordinal from which on entries are of the present connection. */
  sessionOrdinal = 0;

  constructor({ openGaps, newestMs, isConnected, isWhole }: HeardFrom) {
    openGaps.forEach((gap) => this.gapsBefore.apply(gap));
    this.newestMs = newestMs;
    this.droppedMs = newestMs;
    this.isConnected = isConnected;
    if (isWhole) this.spans.push({ fromMs: newestMs, toMs: Infinity });
    else this.awaitsBook = isConnected;
  }

  /** In log order. Of deep books the newest alone is kept. */
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

  /** Gaps that were open before the oldest entry. */
  openBefore(): readonly Gap[] {
    return this.gapsBefore.list();
  }

  /** Everything is kept that is newer than this exchange time. */
  keepsAfter(exchangeMs: number): boolean {
    return this.droppedMs <= exchangeMs;
  }

  /** The span of exchange time in which nothing was missed, where this one is in it, and channels that come apart were there as well. */
  spanAt(exchangeMs: number, closingLagMs: number): Readonly<WholeSpan> | undefined {
    return this.spans.find(({ fromMs, toMs }) => fromMs + closingLagMs <= exchangeMs && exchangeMs <= toMs);
  }

  /** A log that ends now could be carried on without a gap. */
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

/**
 * Whether a standby has heard everything since before the end of a log that is whole up to `wholeToMs`, the newest trade among it that must
 * have come to both by then.
 */
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

/** Whether trades of a connection carry on those of a log: one of them is in it, or has the number that follows the newest there. */
export function carriesTradesOn(entries: readonly PlacedEvent[], sessionOrdinal: number, tail: LogTail): boolean {
  const logged = tail.known.filter(({ kind }) => kind === 'trade');
  const ids = new Set(logged.map(({ venueId }) => venueId));
  const following = Number(logged.at(-1)?.venueId) + 1;
  return entries.some(
    ({ event: { kind, ordinal, venueId } }) =>
      kind === 'trade' && ordinal >= sessionOrdinal && (ids.has(venueId) || Number(venueId) === following),
  );
}

/** Writes entries behind the end of a log, at the times at which they came, with the ticks between them. */
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
