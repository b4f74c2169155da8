import type { DepthDiff } from './message';

/** Diffs that may wait for one before them, and how far their exchange times may lie apart. */
const HELD_MAX = 100;
const HELD_MS_MAX = 500;

/** Diffs of a book that came before one that they follow: held for a moment, in case that one comes late. */
export class EarlyDiffs {
  private readonly byPreviousId = new Map<number, DepthDiff>();
  private firstMs = Infinity;
  private lastMs = -Infinity;

  constructor(first: DepthDiff) {
    this.add(first);
  }

  /** @returns false when so many wait, or for so long, that what is missing counts as lost */
  add(diff: DepthDiff): boolean {
    this.byPreviousId.set(diff.previousLastId, diff);
    this.firstMs = Math.min(this.firstMs, diff.timeMs);
    this.lastMs = Math.max(this.lastMs, diff.timeMs);
    return this.byPreviousId.size <= HELD_MAX && this.lastMs - this.firstMs <= HELD_MS_MAX;
  }

  /** All of them in the venue's order, where they follow the id without a hole; else none. */
  chainFrom(id: number): readonly DepthDiff[] {
    const chain: DepthDiff[] = [];
    let next = this.byPreviousId.get(id);
    while (next !== undefined && chain.length < this.byPreviousId.size) {
      chain.push(next);
      next = this.byPreviousId.get(next.lastId);
    }
    return chain.length === this.byPreviousId.size ? chain : [];
  }
}
