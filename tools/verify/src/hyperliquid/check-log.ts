import type { BookEvent, BookLevel, MarketEvent, TradeEvent, Channel, FeedStatus } from '@market-state/market-data';
import type { BookMessage, MarketStep } from '@market-state/scenarios';
import type { TradeRow } from '@market-state/simulated-venue';

const BOOKS_KEPT = 400;

/** Ground truth of the venue. */
export class TrueMarket {
  readonly trades = new Map<string, TradeRow>();
  private readonly books = new Map<number, BookMessage>();

  take(step: MarketStep, trades: readonly TradeRow[]): void {
    for (const trade of trades) this.trades.set(String(trade.tid), trade);
    for (const message of step.happened) {
      if (message.kind !== 'book') continue;
      this.books.set(message.tsMs, message);
      const [oldest] = this.books.keys();
      if (this.books.size > BOOKS_KEPT && oldest !== undefined) this.books.delete(oldest);
    }
  }

  newest(): BookMessage | undefined {
    return [...this.books.values()].at(-1);
  }

  /** Book at exactly this time, within the last hundred seconds. */
  bookAt(timeMs: number): BookMessage | undefined {
    return this.books.get(timeMs);
  }
}

interface Entry {
  readonly channel: Channel | undefined;
  readonly startMs: number;
  /** 0 while open. */
  endMs: number;
}

/** Gaps reported by a log, one entry per id, open until the log closes it. */
class GapLedger {
  private readonly entries = new Map<string, Entry>();

  apply(status: FeedStatus): string | undefined {
    if (status.type !== 'gap' && status.type !== 'resynced') return undefined;
    const { gapId, channel, startMs, endMs } = status;
    const known = this.entries.get(gapId);
    if (endMs !== 0 && endMs < startMs) return `gap ${gapId} ends before it starts`;
    if (known === undefined) {
      if (status.type === 'resynced') return `gap ${gapId} is resynced but was never reported`;
      this.entries.set(gapId, { channel, startMs, endMs });
      return undefined;
    }
    if (known.endMs !== 0) return `gap ${gapId} is reported again after its end`;
    known.endMs = endMs;
    return undefined;
  }

  get size(): number {
    return this.entries.size;
  }

  get open(): number {
    return [...this.entries.values()].filter(({ endMs }) => endMs === 0).length;
  }

  /** Milliseconds of [fromMs, toMs] without a gap of the channel. */
  uncovered(channel: Channel, fromMs: number, toMs: number): number {
    const spans = [...this.entries.values()]
      .filter((entry) => entry.channel === undefined || entry.channel === channel)
      .sort((a, b) => a.startMs - b.startMs);
    let left = 0;
    let atMs = fromMs;
    for (const { startMs, endMs } of spans) {
      if (startMs > atMs) left += Math.max(0, Math.min(startMs, toMs) - atMs);
      atMs = Math.max(atMs, endMs === 0 ? toMs : endMs);
    }
    return left + Math.max(0, toMs - atMs);
  }

  /** True if a gap of the channel contains this moment, ends included. */
  holds(channel: Channel, atMs: number): boolean {
    return [...this.entries.values()].some(
      (entry) =>
        (entry.channel === undefined || entry.channel === channel) && entry.startMs <= atMs && (entry.endMs === 0 || atMs <= entry.endMs),
    );
  }
}

/** Levels in every push, and so in every book of the log. */
const SURE_LEVELS = 5;
/** Maximum silence of a book without a gap: the adapter's slowest assumed pace plus one tick. */
const SILENT_MS_MAX = 6_000;
const FAILURES_MAX = 10;

/** Compares log entries with the ground truth as they arrive. */
export class LogCheck {
  readonly ledger = new GapLedger();
  readonly failures: string[] = [];
  lastBook: BookEvent | undefined;
  bookTotal = 0;
  tradeTotal = 0;
  private readonly seen = new Set<string>();
  private readonly silences: (readonly [fromMs: number, toMs: number])[] = [];
  private lastOrdinal = 0;

  /** @param fromMs connection time of the adapter: earlier data need not be in the log */
  constructor(
    private readonly truth: TrueMarket,
    private readonly fromMs: number,
  ) {}

  missing(): readonly (readonly [id: string, timeMs: number])[] {
    return [...this.truth.trades].flatMap(([id, { time }]) => (time >= this.fromMs && !this.seen.has(id) ? [[id, time] as const] : []));
  }

  /** @param timesHold false while the venue's timestamps are wrong; then no book is looked up by time */
  take(event: MarketEvent, timesHold: boolean): void {
    if (event.ordinal !== ++this.lastOrdinal) this.fail(`ordinal ${event.ordinal} follows ${this.lastOrdinal - 1}`);
    if (event.kind === 'book') this.takeBook(event, timesHold);
    else if (event.kind === 'trade') this.takeTrade(event);
    else if (event.kind === 'feed_status') this.fail(this.ledger.apply(event.status));
  }

  /** Checks the final book, and that a gap covers everything missing from the log. */
  finish(): void {
    this.compareFinalBook();
    for (const [id, timeMs] of this.missing())
      if (!this.ledger.holds('trade', timeMs)) this.fail(`trade ${id} at ${timeMs} is neither in the log nor covered by a gap`);
    for (const [fromMs, toMs] of this.silences) {
      if (this.ledger.uncovered('book', fromMs, toMs) > SILENT_MS_MAX) this.fail(`no book from ${fromMs} to ${toMs}, and no gap covers it`);
    }
    if (this.ledger.open > 0) this.fail(`${this.ledger.open} gaps are open at the end`);
  }

  private takeBook(book: BookEvent, timesHold: boolean): void {
    this.bookTotal++;
    const [bid, ask] = [book.bids[0], book.asks[0]];
    if (bid === undefined || ask === undefined || Number(bid.price) > Number(ask.price))
      this.fail(`the book at ${book.exchangeTsMs} is crossed or has an empty side`);
    const last = this.lastBook?.exchangeTsMs;
    if (last !== undefined && book.exchangeTsMs - last > SILENT_MS_MAX) this.silences.push([last, book.exchangeTsMs]);
    if (last === undefined || book.exchangeTsMs >= last) this.lastBook = book;
    if (!timesHold) return;
    const truth = this.truth.bookAt(book.exchangeTsMs);
    if (truth === undefined) this.fail(`the venue had no book at ${book.exchangeTsMs}`);
    else if (!isSame(book.bids, truth.bids, SURE_LEVELS) || !isSame(book.asks, truth.asks, SURE_LEVELS))
      this.fail(`the book at ${book.exchangeTsMs} differs from the venue's`);
  }

  private takeTrade({ venueId, price, size, aggressorSide, exchangeTsMs }: TradeEvent): void {
    this.tradeTotal++;
    const truth = this.truth.trades.get(venueId);
    if (this.seen.has(venueId)) this.fail(`trade ${venueId} is in the log twice`);
    this.seen.add(venueId);
    const isTrue =
      truth !== undefined &&
      Number(truth.px) === Number(price) &&
      Number(truth.sz) === Number(size) &&
      (truth.side === 'B') === (aggressorSide === 'buy');
    if (!isTrue) this.fail(`trade ${venueId} at ${exchangeTsMs} never happened`);
  }

  private compareFinalBook(): void {
    const last = this.lastBook;
    const truth = last && this.truth.bookAt(last.exchangeTsMs);
    if (last === undefined || truth === undefined) return this.fail('there is no final book');
    const newest = this.truth.newest();
    if (newest?.tsMs !== last.exchangeTsMs) this.fail(`the final book is at ${last.exchangeTsMs}, the venue's at ${newest?.tsMs}`);
    if (!isSame(last.bids, truth.bids, 20) || !isSame(last.asks, truth.asks, 20)) this.fail("the final book differs from the venue's");
  }

  private fail(sentence: string | undefined): void {
    if (sentence !== undefined && this.failures.length < FAILURES_MAX) this.failures.push(sentence);
  }
}

function isSame(levels: readonly BookLevel[], truth: readonly BookLevel[], count: number): boolean {
  return (
    levels.length >= count &&
    truth.slice(0, count).every(({ price, size }, index) => price === levels[index]?.price && size === levels[index]?.size)
  );
}
