import type { BookLevel } from './event';
import type { BookEntry, BookSide } from './book-side';

/** Levels a side that the venue's snapshot starts with, and the most that a deep read gives. */
export const DEEP_LEVELS_MAX = 1_000;

/** The book behind one book event, to 1,000 levels a side: the same state, deeper. It never changes; levels are made when read. */
export class DeepBook {
  private readonly bidEntries: readonly BookEntry[];
  private readonly askEntries: readonly BookEntry[];

  constructor(
    private readonly bidSide: BookSide,
    private readonly askSide: BookSide,
  ) {
    this.bidEntries = bidSide.top(DEEP_LEVELS_MAX);
    this.askEntries = askSide.top(DEEP_LEVELS_MAX);
  }

  /** The best `depth` levels of each side (all there are, when fewer), best first. */
  levels(depth: number): { bids: BookLevel[]; asks: BookLevel[] } {
    return { bids: this.bidSide.levels(this.bidEntries, depth), asks: this.askSide.levels(this.askEntries, depth) };
  }
}
