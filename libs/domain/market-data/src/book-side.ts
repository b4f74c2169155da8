/** Up to this many entries a loop moves them quicker than a block move. */
const SHORT_MOVE = 16;
const FIRST_CAPACITY = 2_048;

/**
 * Entries of one side, two numbers each: key, then quantity in contracts; worst first, best last. The key is the price times
 * the side's direction (1 bids, -1 asks), so it rises towards the best on both sides.
 */
export type SideEntries = Float64Array;

/**
 * One side of a live book. Prices and quantities are numbers of at most 15 digits, which stand for their decimal text
 * exactly. They are kept sorted, best last, so that changes near the top of the book move little.
 */
export class BookSide {
  private entries: SideEntries = new Float64Array(FIRST_CAPACITY * 2);
  private count = 0;

  /** @param direction 1 for bids (the highest price is best), -1 for asks. */
  constructor(readonly direction: 1 | -1) {}

  get size(): number {
    return this.count;
  }

  /** The best price; NaN on an empty side. */
  get bestPrice(): number {
    return this.count === 0 ? NaN : (this.entries[this.count * 2 - 2] ?? NaN) * this.direction;
  }

  clear(): void {
    this.count = 0;
  }

  /** Sets the quantity at a price; 0 takes the price out (one that is not there is no fault). */
  set(price: number, contracts: number): void {
    const key = price * this.direction;
    const index = this.indexOf(key);
    const isThere = index < this.count && this.entries[index * 2] === key;
    if (contracts === 0) {
      if (isThere) this.removeAt(index);
      return;
    }
    if (!isThere) this.insertAt(index, key);
    this.entries[index * 2 + 1] = contracts;
  }

  /** A copy of the best `depth` entries. */
  top(depth: number): SideEntries {
    return this.entries.slice(Math.max(0, this.count - depth) * 2, this.count * 2);
  }

  /** Where `key` is, or where it would be inserted. */
  private indexOf(key: number): number {
    const { entries } = this;
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((entries[middle * 2] ?? 0) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private removeAt(index: number): void {
    const { entries } = this;
    const end = this.count * 2;
    const from = index * 2 + 2;
    if (end - from > SHORT_MOVE * 2) entries.copyWithin(from - 2, from, end);
    else for (let at = from; at < end; at++) entries[at - 2] = entries[at] ?? 0;
    this.count--;
  }

  private insertAt(index: number, key: number): void {
    if (this.count * 2 === this.entries.length) this.grow();
    const { entries } = this;
    const end = this.count * 2;
    const from = index * 2;
    if (end - from > SHORT_MOVE * 2) entries.copyWithin(from + 2, from, end);
    else for (let at = end - 1; at >= from; at--) entries[at + 2] = entries[at] ?? 0;
    entries[from] = key;
    this.count++;
  }

  private grow(): void {
    const { entries } = this;
    this.entries = new Float64Array(entries.length * 2);
    this.entries.set(entries);
  }
}
