import type { DeepBook } from '../deep-book';
import type { FeedStatus, MarketEvent } from '../event';
import type { PlacedEvent } from '../log-writer';
import { OpenGaps } from './open-gaps';

/** How much of what it heard a standby keeps, by its own clock, milliseconds. */
const KEPT_MS = 30_000;
/** Spans that are remembered: far more connections than begin and end in 30 s. */
const SPANS_MAX = 16;

type Gap = Extract<FeedStatus, { type: 'gap' }>;

/** How things are when a player begins to stand by. */
export interface HeardFrom {
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
