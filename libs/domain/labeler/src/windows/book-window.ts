import type { BookEvent, BookLevel } from '@market-state/market-data';
import { newerThan, Ring } from './ring';
import { round6 } from '../numbers/round';

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
