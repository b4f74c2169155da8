import type { BookLevel } from './event';
import { inverseSize, plainDecimal, venueNumber } from './decimal';
import type { RejectionReason } from './rejections';

/** One side in the venue's unit of quantity, as numbers of at most 15 digits; in changes, size 0 removes. */
export interface Levels {
  readonly prices: readonly number[];
  readonly sizes: readonly number[];
}

/** A message is accepted whole or not at all. Levels are lists that begin with price and size. */
export function readLevels(value: unknown, mayRemove: boolean): Levels | RejectionReason {
  if (!Array.isArray(value)) return 'unknown_message';
  const prices: number[] = [];
  const sizes: number[] = [];
  for (const level of value as unknown[]) {
    if (!Array.isArray(level)) return 'unknown_message';
    const price = venueNumber(level[0]);
    if (!(price > 0)) return 'bad_price';
    const size = venueNumber(level[1]);
    if (!(size > 0 || (mayRemove && size === 0))) return 'bad_size';
    prices.push(price);
    sizes.push(size);
  }
  return { prices, sizes };
}

/** Up to this many entries, a loop is faster than copyWithin. */
const SHORT_MOVE = 16;
const FIRST_CAPACITY = 2_048;

/** The key is price times direction (1 bids, -1 asks), so it rises towards the best on both sides. Worst first. */
type SideEntries = Float64Array;

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

/** Reuses the objects of unchanged levels to avoid recomputing sizes. */
export class PublishedLevels {
  private lastEntries: SideEntries = new Float64Array(0);
  private lastLevels: readonly BookLevel[] = [];

  constructor(
    private readonly direction: 1 | -1,
    private readonly contractValue: string | undefined,
  ) {}

  read(entries: SideEntries): readonly BookLevel[] {
    const { lastEntries, lastLevels } = this;
    const levels: BookLevel[] = [];
    let last = lastEntries.length - 2;
    for (let at = entries.length - 2; at >= 0; at -= 2) {
      const key = entries[at] ?? 0;
      while (last >= 0 && (lastEntries[last] ?? 0) > key) last -= 2;
      const isKept = last >= 0 && lastEntries[last] === key && lastEntries[last + 1] === entries[at + 1];
      const kept = isKept ? lastLevels[lastLevels.length - 1 - last / 2] : undefined;
      levels.push(kept ?? publishLevel(key * this.direction, entries[at + 1] ?? 0, this.contractValue));
    }
    this.lastEntries = entries;
    this.lastLevels = levels;
    return levels;
  }
}

function publishLevel(priceValue: number, quantity: number, contractValue: string | undefined): BookLevel {
  const price = plainDecimal(priceValue);
  const sent = plainDecimal(quantity);
  return contractValue === undefined ? { price, size: sent } : { price, size: inverseSize(sent, contractValue, price), venueSize: sent };
}

/** Levels per side of a venue snapshot, and maximum depth of a deep read. */
export const DEEP_LEVELS_MAX = 1_000;

/** Immutable state behind a book event, up to 1,000 levels per side; levels are created on read. */
export class DeepBook {
  private readonly bids: SideEntries;
  private readonly asks: SideEntries;

  constructor(
    bids: BookSide,
    asks: BookSide,
    private readonly contractValue: string | undefined,
  ) {
    this.bids = bids.top(DEEP_LEVELS_MAX);
    this.asks = asks.top(DEEP_LEVELS_MAX);
  }

  levels(depth: number): { bids: BookLevel[]; asks: BookLevel[] } {
    return { bids: this.side(this.bids, 1, depth), asks: this.side(this.asks, -1, depth) };
  }

  private side(entries: SideEntries, direction: 1 | -1, depth: number): BookLevel[] {
    const levels: BookLevel[] = [];
    for (let at = entries.length - 2; at >= 0 && levels.length < depth; at -= 2) {
      levels.push(publishLevel((entries[at] ?? 0) * direction, entries[at + 1] ?? 0, this.contractValue));
    }
    return levels;
  }
}
