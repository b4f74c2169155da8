import type { ChangingBook } from '../book-sampler';
import { BookSide } from '../book-side';
import { multiplyDecimals, plainDecimal } from '../decimal';
import type { BookFrame, Levels } from './message';

type Verdict = 'next' | 'old' | 'waiting' | 'gap';

/**
 * A snapshot replaces the book; a change applies to the book with its previous id. Ids may restart: a later change with
 * a lower id is a gap, not a repeat.
 */
export class NumberedBook implements ChangingBook {
  readonly bids = new BookSide(1);
  readonly asks = new BookSide(-1);
  lastId = 0;
  lastChangeMs = 0;
  private isWhole = false;

  constructor(private readonly contractSize: string | undefined) {}

  get hasBook(): boolean {
    return this.isWhole;
  }

  judge({ updateId, previousId, timeMs }: BookFrame): Verdict {
    if (!this.isWhole) return 'waiting';
    if (previousId === this.lastId) return 'next';
    return updateId <= this.lastId && timeMs <= this.lastChangeMs ? 'old' : 'gap';
  }

  apply(frame: BookFrame): void {
    if (frame.type === 'snapshot') this.lose();
    this.isWhole = true;
    this.lastId = frame.updateId;
    this.lastChangeMs = Math.max(this.lastChangeMs, frame.timeMs);
    this.change(this.bids, frame.bids);
    this.change(this.asks, frame.asks);
  }

  lose(): void {
    this.isWhole = false;
    this.bids.clear();
    this.asks.clear();
  }

  private change(side: BookSide, { prices, sizes }: Levels): void {
    const { contractSize } = this;
    for (let index = 0; index < prices.length; index++) {
      const size = sizes[index] ?? 0;
      side.set(prices[index] ?? 0, contractSize === undefined ? size : Number(multiplyDecimals(plainDecimal(size), contractSize)));
    }
  }
}
