import type { DeepBook } from '../deep-book';
import type { FeedStatus, MarketEvent } from '../event';
import type { PlacedEvent } from '../log-writer';
import { OpenGaps, type Identified, type LogTail } from './log-tail';
import { TICK_MS } from '../feed-clock';
import type { LiveLog } from './live-log';

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
