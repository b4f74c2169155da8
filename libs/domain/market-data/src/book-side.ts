import type { BookLevel } from './event';
import { normalizeDecimal } from './decimal';
import { inverseSize } from './inverse-size';

/** One level of the live book. A change makes a new entry, so an entry that was handed out never changes. */
export interface BookEntry {
  /** The price as a number: the key only, never published. */
  readonly key: number;
  /** Price and quantity as the venue sent them. */
  readonly price: string;
  readonly contracts: string;
  /** The published form, made once, when it is first asked for. */
  level: BookLevel | undefined;
}

/**
 * One side of a book of an inverse contract: entries sorted worst first, best last, so that the changes near the top of the
 * book move little.
 */
export class BookSide {
  private entries: BookEntry[] = [];

  /** @param direction 1 for bids (the highest price is best), -1 for asks. */
  constructor(
    private readonly direction: 1 | -1,
    private readonly contractValue: string,
  ) {}

  get size(): number {
    return this.entries.length;
  }

  best(): BookEntry | undefined {
    return this.entries[this.entries.length - 1];
  }

  clear(): void {
    this.entries = [];
  }

  /** Sets the quantity at a price. */
  set(key: number, price: string, contracts: string): void {
    const index = this.indexOf(key);
    const entry: BookEntry = { key, price, contracts, level: undefined };
    if (this.entries[index]?.key === key) this.entries[index] = entry;
    else if (index === this.entries.length) this.entries.push(entry);
    else this.entries.splice(index, 0, entry);
  }

  /** Takes a price out; one that is not there is no fault (the venue removes levels beyond the snapshot's depth). */
  remove(key: number): void {
    const index = this.indexOf(key);
    if (this.entries[index]?.key === key) this.entries.splice(index, 1);
  }

  /** The best `depth` entries, worst first. */
  top(depth: number): BookEntry[] {
    return this.entries.slice(-depth);
  }

  /** The published form of entries of this side that are given worst first; best first. */
  levels(entries: readonly BookEntry[], depth: number): BookLevel[] {
    const count = Math.min(depth, entries.length);
    const levels = new Array<BookLevel>(count);
    for (let index = 0; index < count; index++) {
      const entry = entries[entries.length - 1 - index];
      if (entry !== undefined) levels[index] = entry.level ?? this.publish(entry);
    }
    return levels;
  }

  private publish(entry: BookEntry): BookLevel {
    const size = inverseSize(entry.contracts, this.contractValue, entry.price);
    entry.level = { price: normalizeDecimal(entry.price), size, venueSize: entry.contracts };
    return entry.level;
  }

  /** Where `key` is, or where it would be inserted. */
  private indexOf(key: number): number {
    const { entries, direction } = this;
    const wanted = key * direction;
    let low = 0;
    let high = entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = entries[middle];
      if (entry !== undefined && entry.key * direction < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
