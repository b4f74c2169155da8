import { BookSide } from '../book-side';
import type { ChangingBook } from '../book-sampler';
import type { BookFrame, Levels } from './message';

/** What the continuity rule says of a delta: `gap` means that one before it is missing, `waiting` that there is no book. */
export type DeltaVerdict = 'next' | 'old' | 'waiting' | 'gap';

/** A book kept by Bybit's rule: a snapshot replaces it, and every delta's `u` is one above the frame's before. */
export class DeltaBook implements ChangingBook {
  readonly bids = new BookSide(1);
  readonly asks = new BookSide(-1);
  /** Update id and matching engine's time of the last frame that was applied. */
  lastId = 0;
  lastChangeMs = 0;
  private isWhole = false;

  /** False until the first snapshot, and from a gap on until the next. */
  get hasBook(): boolean {
    return this.isWhole;
  }

  /** Judges a delta without applying it. */
  judge({ updateId }: BookFrame): DeltaVerdict {
    if (!this.isWhole) return 'waiting';
    if (updateId === this.lastId + 1) return 'next';
    return updateId <= this.lastId ? 'old' : 'gap';
  }

  /** Applies a delta that `judge` called next, or a snapshot. */
  apply(frame: BookFrame): void {
    if (frame.type === 'snapshot') this.lose();
    this.isWhole = true;
    this.lastId = frame.updateId;
    this.lastChangeMs = Math.max(this.lastChangeMs, frame.timeMs);
    change(this.bids, frame.bids);
    change(this.asks, frame.asks);
  }

  /** The book can no longer be trusted: it is emptied and waits for a snapshot. */
  lose(): void {
    this.isWhole = false;
    this.bids.clear();
    this.asks.clear();
  }
}

function change(side: BookSide, { prices, sizes }: Levels): void {
  for (let index = 0; index < prices.length; index++) side.set(prices[index] ?? 0, sizes[index] ?? 0);
}
