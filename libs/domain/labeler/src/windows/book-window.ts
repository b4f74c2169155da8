import type { BookEvent, BookLevel } from '@market-state/market-data';
import { imbalance } from '../features/imbalance';
import { Ring } from './ring';

/** Levels a side that any feature reads. */
const LEVELS_READ = 5;

/** The book in force: what the features at T read of it. Sizes in base units, best first, at most five a side. */
export interface CurrentBook {
  readonly tsMs: number;
  readonly bestBid: string;
  readonly bestAsk: string;
  readonly bid: number;
  readonly ask: number;
  readonly bidSizes: readonly number[];
  readonly askSizes: readonly number[];
}

/** One book of the window. */
export interface BookRecord {
  readonly tsMs: number;
  readonly bid: number;
  readonly ask: number;
  readonly bidSize: number;
  readonly askSize: number;
  /** Signed imb_5. */
  readonly imbalance: number;
}

/** The books of the last 60 s, the one in force at their start, and the current one. */
export class BookWindow {
  constructor(
    readonly records: Ring<BookRecord> = new Ring(),
    public current: CurrentBook | null = null,
  ) {}

  /** @throws Error when a side has no level: normalization lets no such book into the log. */
  apply(event: BookEvent): void {
    const bestBid = bestOf(event.bids);
    const bestAsk = bestOf(event.asks);
    const bidSizes = sizesOf(event.bids);
    const askSizes = sizesOf(event.asks);
    const bid = Number(bestBid.price);
    const ask = Number(bestAsk.price);
    this.current = { tsMs: event.exchangeTsMs, bestBid: bestBid.price, bestAsk: bestAsk.price, bid, ask, bidSizes, askSizes };
    this.records.push({
      tsMs: event.exchangeTsMs,
      bid,
      ask,
      bidSize: bidSizes[0] ?? 0,
      askSize: askSizes[0] ?? 0,
      imbalance: imbalance(bidSizes, askSizes, LEVELS_READ) ?? 0,
    });
  }

  /** Keeps the books after `startMs` and the one in force at that instant. */
  forget(startMs: number): void {
    for (let second = this.records.at(1); second !== undefined && second.tsMs <= startMs; second = this.records.at(1)) {
      this.records.shift();
    }
  }
}

/** (best bid + best ask) / 2 of the book; null without one. Not rounded: ratios of mids read it. */
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
