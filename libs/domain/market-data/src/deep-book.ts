import type { BookSide, SideEntries } from './book-side';
import type { BookLevel } from './event';
import { inverseSize } from './inverse-size';
import { plainDecimal } from './decimal';

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
