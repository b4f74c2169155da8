import type { TradeEvent } from '@market-state/market-data';
import type { SortedWindow } from '../numbers/sorted-window';
import { newerThan, type Ring } from './ring';

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
