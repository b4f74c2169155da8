import type { BookSide, SideEntries } from './book-side';
import type { BookLevel } from './event';
import { inverseSize } from './inverse-size';
import { plainDecimal } from './decimal';

/**
 * Gives the levels of one side in published form, best first. It remembers the levels that it gave last: one that has not
 * changed since is the same object again, so its size is not computed anew.
 */
export class PublishedLevels {
  private lastEntries: SideEntries = new Float64Array(0);
  private lastLevels: readonly BookLevel[] = [];

  constructor(
    private readonly direction: 1 | -1,
    private readonly contractValue: string | undefined,
  ) {}

  /** The levels of all the given entries. */
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

/**
 * A level, from numbers that stand for decimals of at most 15 digits. With a contract value the quantity counts inverse
 * contracts of so many dollars; without, it is in base units already.
 */
function publishLevel(priceValue: number, quantity: number, contractValue: string | undefined): BookLevel {
  const price = plainDecimal(priceValue);
  const sent = plainDecimal(quantity);
  return contractValue === undefined ? { price, size: sent } : { price, size: inverseSize(sent, contractValue, price), venueSize: sent };
}

/** Levels a side that the venue's snapshot starts with, and the most that a deep read gives. */
export const DEEP_LEVELS_MAX = 1_000;

/** The book behind one book event, to 1,000 levels a side: the same state, deeper. It never changes; levels are made when read. */
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

  /** The best `depth` levels of each side (all there are, when fewer), best first. */
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
