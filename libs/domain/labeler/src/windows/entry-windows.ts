import type { BookEvent, BookLevel, TradeEvent, ContextEvent, LiquidationEvent } from '@market-state/market-data';
import { newerThan, Ring } from './ring';
import { round6, round12 } from '../numbers/round';
import { SortedWindow } from '../numbers/samples';
import type { PolicyNumbers } from '../policy/numbers';
import { Cuts } from '../sources/gaps';

/**
 * Order-book imbalance over the best k levels: imb_k = (B_k − A_k) / (B_k + A_k), −1 (only asks) to 1 (only bids), 6
 * decimals, with B_k and A_k the sizes of the first k bid and ask levels (those present), summed best first,
 * unweighted. Null without any size. Source: queue imbalance at k = 1 (M. Gould and J. Bonart, 2016); volume imbalance
 * of the limit order book (Á. Cartea, S. Jaimungal and J. Penalva, "Algorithmic and High-Frequency Trading", 2015).
 */
export function imbalance(bidSizes: readonly number[], askSizes: readonly number[], levels: number): number | null {
  const bids = depth(bidSizes, levels);
  const asks = depth(askSizes, levels);
  const total = bids + asks;
  return total === 0 ? null : round6((bids - asks) / total);
}

/** Sum of sizes, best first. Base units, not rounded. */
export function depth(sizes: readonly number[], levels: number): number {
  let sum = 0;
  for (let index = 0; index < levels && index < sizes.length; index++) sum += sizes[index] as number;
  return sum;
}

const LEVELS_READ = 5;

/** Sizes in base units, best first, at most five per side. */
export interface CurrentBook {
  readonly tsMs: number;
  readonly bestBid: string;
  readonly bestAsk: string;
  /** Null if earlier packets are unknown. */
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  readonly bid: number;
  readonly ask: number;
  readonly bidSizes: readonly number[];
  readonly askSizes: readonly number[];
}

export interface BookRecord {
  readonly tsMs: number;
  readonly bid: number;
  readonly ask: number;
  readonly bidSize: number;
  readonly askSize: number;
  readonly imbalance: number;
  /** B_5 + A_5, base units, not rounded. */
  readonly depth: number;
}

/** Books of the last 180 s and book times of the last 300 s, each with the last one before. */
export class BookWindow {
  constructor(
    readonly records: Ring<BookRecord> = new Ring(),
    public current: CurrentBook | null = null,
    readonly stampsMs: Ring<number> = new Ring(),
  ) {}

  /** @throws Error if a side has no level, which normalization excludes */
  apply(event: BookEvent): void {
    const bestBid = bestOf(event.bids);
    const bestAsk = bestOf(event.asks);
    const bidSizes = sizesOf(event.bids);
    const askSizes = sizesOf(event.asks);
    const bid = Number(bestBid.price);
    const ask = Number(bestAsk.price);
    const { bids, asks } = event;
    this.current = { tsMs: event.exchangeTsMs, bestBid: bestBid.price, bestAsk: bestAsk.price, bids, asks, bid, ask, bidSizes, askSizes };
    this.records.push({
      tsMs: event.exchangeTsMs,
      bid,
      ask,
      bidSize: bidSizes[0] ?? 0,
      askSize: askSizes[0] ?? 0,
      imbalance: imbalance(bidSizes, askSizes, LEVELS_READ) ?? 0,
      depth: depth(bidSizes, LEVELS_READ) + depth(askSizes, LEVELS_READ),
    });
    this.stampsMs.push(event.exchangeTsMs);
  }

  forget(startMs: number, stampsStartMs: number): void {
    for (let second = this.records.at(1); second !== undefined && second.tsMs <= startMs; second = this.records.at(1)) {
      this.records.shift();
    }
    for (let second = this.stampsMs.at(1); second !== undefined && second <= stampsStartMs; second = this.stampsMs.at(1)) {
      this.stampsMs.shift();
    }
  }

  since(startMs: number): readonly BookRecord[] {
    return this.records.last(newerThan(this.records, startMs).length + 1);
  }
}

/** (best bid + best ask) / 2; null without a book. Not rounded, because ratios of mids read it. */
export function midOf(book: CurrentBook | null): number | null {
  return book === null ? null : (book.bid + book.ask) / 2;
}

function bestOf(levels: readonly BookLevel[]): BookLevel {
  const best = levels[0];
  if (best === undefined) throw new Error('a book in the log has a side without a level');
  return best;
}

function sizesOf(levels: readonly BookLevel[]): readonly number[] {
  return levels.slice(0, LEVELS_READ).map((level) => Number(level.size));
}

export interface TradeRecord {
  readonly tsMs: number;
  readonly price: number;
  readonly size: number;
  readonly buy: boolean;
  /** Size × mid of the book in force (mark price without a book, else its own price), quote currency. */
  readonly notional: number;
}

/** Trades of the last 300 s and of every step between the stored books, and the sizes of 2,000 older than 60 s. */
export class TradeWindow {
  /**
   * @param records oldest first
   * @param agedTotal records older than 60 s, whose sizes are in `agedSizes`
   */
  constructor(
    readonly records: Ring<TradeRecord>,
    readonly agedSizes: SortedWindow,
    public agedTotal = 0,
    public lastTsMs: number | null = null,
  ) {}

  apply(event: TradeEvent, referencePrice: number | null): void {
    const price = Number(event.price);
    const size = Number(event.size);
    this.records.push({
      tsMs: event.exchangeTsMs,
      price,
      size,
      buy: event.aggressorSide === 'buy',
      notional: size * (referencePrice ?? price),
    });
    this.lastTsMs = event.exchangeTsMs;
  }

  /** Ages trades at or before T − `tradeMs`, and drops those also at or before `keepAfterMs`. */
  advance(windowEndMs: number, tradeMs: number, keepAfterMs: number): void {
    for (let next = this.records.at(this.agedTotal); next !== undefined && next.tsMs <= windowEndMs - tradeMs; ) {
      this.agedSizes.push(next.size);
      this.agedTotal++;
      next = this.records.at(this.agedTotal);
    }
    for (let oldest = this.records.at(0); oldest !== undefined && oldest.tsMs <= keepAfterMs; oldest = this.records.at(0)) {
      this.records.shift();
      this.agedTotal--;
    }
  }

  after(startMs: number): readonly TradeRecord[] {
    return newerThan(this.records, startMs);
  }
}

export interface LiquidationRecord {
  readonly tsMs: number;
  /** A long position was force-closed: a sale. */
  readonly long: boolean;
  /** Size × mid of the book in force (mark price without a book, else its own price), quote currency. */
  readonly notional: number;
  readonly proxy: boolean;
}

export class LiquidationWindow {
  constructor(
    readonly records: Ring<LiquidationRecord> = new Ring(),
    public lastTsMs: number | null = null,
  ) {}

  apply(event: LiquidationEvent, referencePrice: number | null): void {
    this.records.push({
      tsMs: event.exchangeTsMs,
      long: event.positionSide === 'long',
      notional: Number(event.size) * (referencePrice ?? Number(event.price)),
      proxy: event.provenance === 'proxy',
    });
    this.lastTsMs = event.exchangeTsMs;
  }

  forget(startMs: number): void {
    for (let oldest = this.records.at(0); oldest !== undefined && oldest.tsMs <= startMs; oldest = this.records.at(0)) this.records.shift();
  }

  after(startMs: number): readonly LiquidationRecord[] {
    return newerThan(this.records, startMs);
  }
}

export interface OpenInterestRecord {
  readonly tsMs: number;
  readonly value: number;
}

/** Last value of each field, and an hour of open interest with the value in force at its start. */
export class ContextWindow {
  constructor(
    readonly openInterest: Ring<OpenInterestRecord> = new Ring(),
    public lastTsMs: number | null = null,
    /** Signed, per hour; also null if the newest rate's interval is unknown. */
    public fundingRate: number | null = null,
    public markPrice: number | null = null,
  ) {}

  apply(event: ContextEvent): void {
    this.lastTsMs = event.exchangeTsMs;
    if (event.fundingRate !== undefined) this.fundingRate = round12(Number(event.fundingRate));
    else if (event.venueFundingRate !== undefined) this.fundingRate = null;
    if (event.markPrice !== undefined) this.markPrice = Number(event.markPrice);
    if (event.openInterest !== undefined) {
      this.openInterest.push({ tsMs: event.exchangeTsMs, value: Number(event.openInterest) });
    }
  }

  forget(startMs: number): void {
    for (let second = this.openInterest.at(1); second !== undefined && second.tsMs <= startMs; second = this.openInterest.at(1)) {
      this.openInterest.shift();
    }
  }
}

export type DataEvent = BookEvent | TradeEvent | ContextEvent | LiquidationEvent;

export interface EntryWindows {
  readonly books: BookWindow;
  readonly trades: TradeWindow;
  readonly context: ContextWindow;
  readonly liquidations: LiquidationWindow;
  readonly cuts: Cuts;
}

export function createEntryWindows(numbers: PolicyNumbers): EntryWindows {
  return {
    books: new BookWindow(),
    trades: new TradeWindow(new Ring(), new SortedWindow(numbers.windows.trade_size_total)),
    context: new ContextWindow(),
    liquidations: new LiquidationWindow(),
    cuts: new Cuts(),
  };
}

/** Events must be in the order of `compareEvents`, none later than the closing window. */
export function applyEvent(windows: EntryWindows, event: DataEvent): void {
  switch (event.kind) {
    case 'book':
      return windows.books.apply(event);
    case 'trade':
      return windows.trades.apply(event, referencePrice(windows));
    case 'context':
      return windows.context.apply(event);
    case 'liquidation':
      return windows.liquidations.apply(event, referencePrice(windows));
  }
}

export function advanceWindows(windows: EntryWindows, windowEndMs: number, { windows: lengths }: PolicyNumbers): void {
  windows.books.forget(windowEndMs - lengths.state_ms, windowEndMs - lengths.quality_ms);
  const oldestBookMs = windows.books.since(windowEndMs - lengths.book_ms)[0]?.tsMs ?? Infinity;
  windows.trades.advance(windowEndMs, lengths.trade_ms, Math.min(windowEndMs - lengths.notional_ms, oldestBookMs));
  windows.context.forget(windowEndMs - lengths.open_interest_ms);
  windows.liquidations.forget(windowEndMs - lengths.liquidation_ms);
  windows.cuts.forget(windowEndMs - lengths.duplicate_ms);
}

/** Mid of the book in force, or the mark price without a book; null with neither. */
function referencePrice(windows: EntryWindows): number | null {
  return midOf(windows.books.current) ?? windows.context.markPrice;
}
