import type { BookSide, SideEntries } from './book-side';
import type { BookLevel } from './event';
import { publishLevel } from './published-levels';

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
