/** Up to this many entries, a loop is faster than copyWithin. */
const SHORT_MOVE = 16;
const FIRST_CAPACITY = 2_048;

/** The key is price times direction (1 bids, -1 asks), so it rises towards the best on both sides. Worst first. */
export type SideEntries = Float64Array;

/**
 * Numbers of at most 15 digits represent decimal text exactly. Best last, so that changes near the top move little
 * memory.
 */
export class BookSide {
  private entries: SideEntries = new Float64Array(FIRST_CAPACITY * 2);
  private count = 0;

  constructor(readonly direction: 1 | -1) {}

  get size(): number {
    return this.count;
  }

  /** NaN on an empty side. */
  get bestPrice(): number {
    return this.count === 0 ? NaN : (this.entries[this.count * 2 - 2] ?? NaN) * this.direction;
  }

  clear(): void {
    this.count = 0;
  }

  /** Quantity 0 removes the price; a missing price is ignored. */
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

  top(depth: number): SideEntries {
    return this.entries.slice(Math.max(0, this.count - depth) * 2, this.count * 2);
  }

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
