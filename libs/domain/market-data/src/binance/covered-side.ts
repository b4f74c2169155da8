import { BookSide } from '../book-side';
import type { Levels } from './message';

/**
 * One side of a book that began with a snapshot: it holds the prices that the snapshot reached and better ones. Of worse ones only those
 * that changed since are known, which makes no book, so they are left out.
 */
export class CoveredSide extends BookSide {
  /** The worst price of the snapshot, as a key. */
  private worstKey = -Infinity;
  private levelsMin = 0;

  /** @param levelsMax levels that a served book needs, where the snapshot has twice as many */
  constructor(
    direction: 1 | -1,
    private readonly levelsMax: number,
  ) {
    super(direction);
  }

  /** So few levels are left of those covered that the book seems thinner than the market. */
  get isExhausted(): boolean {
    return this.size < this.levelsMin;
  }

  begin(levels: Levels): void {
    const { prices } = levels;
    this.clear();
    this.worstKey = prices.reduce((worst, price) => Math.min(worst, price * this.direction), prices.length === 0 ? -Infinity : Infinity);
    this.levelsMin = Math.min(this.levelsMax, Math.ceil(prices.length / 2));
    this.change(levels);
  }

  change({ prices, quantities }: Levels): void {
    for (let index = 0; index < prices.length; index++) {
      const price = prices[index] ?? 0;
      if (price * this.direction >= this.worstKey) this.set(price, quantities[index] ?? 0);
    }
  }
}
