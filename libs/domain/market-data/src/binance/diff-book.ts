import type { DepthDiff, DepthSnapshot, Levels } from './message';
import { BookSide } from '../book-side';

/** Limits for out-of-order diffs: count, and spread of exchange times. */
const HELD_MAX = 100;
const HELD_MS_MAX = 500;

/** Diffs that arrived before their predecessor, held briefly in case it comes late. */
class EarlyDiffs {
  private readonly byPreviousId = new Map<number, DepthDiff>();
  private firstMs = Infinity;
  private lastMs = -Infinity;

  constructor(first: DepthDiff) {
    this.add(first);
  }

  /** @returns false once the limits are exceeded: the missing diff counts as lost */
  add(diff: DepthDiff): boolean {
    this.byPreviousId.set(diff.previousLastId, diff);
    this.firstMs = Math.min(this.firstMs, diff.timeMs);
    this.lastMs = Math.max(this.lastMs, diff.timeMs);
    return this.byPreviousId.size <= HELD_MAX && this.lastMs - this.firstMs <= HELD_MS_MAX;
  }

  /** All diffs in venue order if they follow the id without a gap; otherwise none. */
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

/**
 * Book side limited to the price range of its snapshot. Beyond it, only changed levels are known, which would be an
 * incomplete book.
 */
class CoveredSide extends BookSide {
  /** Worst snapshot price, as a key. */
  private worstKey = -Infinity;
  private levelsMin = 0;

  /** @param levelsMax levels that a served book needs, if the snapshot has at least twice as many */
  constructor(
    direction: 1 | -1,
    private readonly levelsMax: number,
  ) {
    super(direction);
  }

  /** Too few covered levels remain to represent the market. */
  get isExhausted(): boolean {
    return this.size < this.levelsMin;
  }

  begin(levels: Levels): void {
    const { prices } = levels;
    this.clear();
    this.worstKey = prices.reduce((worst, price) => Math.min(worst, price * this.direction), prices.length === 0 ? -Infinity : Infinity);
    this.levelsMin = Math.min(this.levelsMax, Math.ceil(prices.length / 2));
    this.change(levels);
  }

  change({ prices, quantities }: Levels): void {
    for (let index = 0; index < prices.length; index++) {
      const price = prices[index] ?? 0;
      if (price * this.direction >= this.worstKey) this.set(price, quantities[index] ?? 0);
    }
  }
}

/** Diffs waiting for a snapshot; beyond this, the oldest half is dropped. */
const BUFFERED_DIFFS_MAX = 10_000;

/** Default levels per side. */
const LEVELS_READ = 5;

/** Result of the continuity check: apply `next`; `gap` means that an earlier diff is missing. */
type DiffVerdict = 'next' | 'old' | 'buffered' | 'gap';

/**
 * Book maintained by the venue's continuity rule: diffs wait for a snapshot; those with `u` < lastUpdateId are dropped;
 * the first applied satisfies `U` <= lastUpdateId <= `u`; then each `pu` equals the previous `u`. After a gap, the old
 * book is retained briefly, since diffs that were merely reordered still apply to it.
 */
export class DiffBook {
  readonly bids: CoveredSide;
  readonly asks: CoveredSide;
  /** Of the last applied change. */
  lastId = 0;
  lastChangeMs = 0;
  private phase: 'waiting' | 'bridging' | 'whole' = 'waiting';
  private buffer: DepthDiff[] = [];
  /** Diffs after a gap, while the book before it is retained. */
  private early: EarlyDiffs | undefined;

  /** @param levelsMax see `CoveredSide` */
  constructor(levelsMax = LEVELS_READ) {
    this.bids = new CoveredSide(1, levelsMax);
    this.asks = new CoveredSide(-1, levelsMax);
  }

  /** False until a snapshot fits, at the start and after a gap. */
  get hasBook(): boolean {
    return this.phase !== 'waiting';
  }

  /** At least one diff was applied since the snapshot, and none is missing. */
  get isWhole(): boolean {
    return this.phase === 'whole';
  }

  /** Checks a diff without applying it; buffers it if it must wait. */
  judge(diff: DepthDiff): DiffVerdict {
    switch (this.phase) {
      case 'waiting':
        this.hold(diff);
        return 'buffered';
      case 'bridging':
        if (diff.lastId < this.lastId) return 'old';
        return diff.firstId <= this.lastId ? 'next' : 'gap';
      case 'whole':
        return diff.previousLastId === this.lastId ? 'next' : diff.lastId <= this.lastId ? 'old' : 'gap';
    }
  }

  /** Applies a diff judged `next`. */
  apply(diff: DepthDiff): void {
    this.phase = 'whole';
    this.lastId = diff.lastId;
    if (diff.timeMs > this.lastChangeMs) this.lastChangeMs = diff.timeMs;
    this.bids.change(diff.bids);
    this.asks.change(diff.asks);
  }

  /**
   * Invalidates the book; it and `diff` wait for a snapshot. A whole book is retained in case the missing diffs arrive
   * late; any other is emptied.
   */
  lose(diff?: DepthDiff): void {
    if (diff !== undefined && this.isWhole) this.early = new EarlyDiffs(diff);
    else this.empty();
    this.phase = 'waiting';
    this.buffer = diff === undefined ? [] : [diff];
  }

  /** Diffs after a gap in apply order once they follow the old book without a gap; otherwise none. */
  takeEarly(): readonly DepthDiff[] {
    const diffs = this.early?.chainFrom(this.lastId) ?? [];
    if (diffs.length === 0) return diffs;
    this.early = undefined;
    this.buffer = [];
    return diffs;
  }

  /**
   * Applies a snapshot and the waiting diffs if there is no book. A book without diffs yet also ignores a newer
   * snapshot, which would skip changes in between. `stale`: older than the book or the waiting diffs; discarded.
   */
  takeSnapshot(snapshot: DepthSnapshot): 'taken' | 'not_needed' | 'stale' {
    if (this.phase !== 'waiting') return snapshot.lastId < this.lastId ? 'stale' : 'not_needed';
    const waiting = this.buffer.filter((diff) => diff.lastId >= snapshot.lastId);
    const [first] = waiting;
    if (first !== undefined && first.firstId > snapshot.lastId) return 'stale';
    this.early = undefined;
    this.bids.begin(snapshot.bids);
    this.asks.begin(snapshot.asks);
    this.phase = 'bridging';
    this.lastId = snapshot.lastId;
    this.lastChangeMs = Math.max(this.lastChangeMs, snapshot.timeMs);
    this.buffer = [];
    for (const diff of waiting) this.apply(diff);
    return 'taken';
  }

  /** The market left the snapshot's price range: the book can no longer be served. */
  get isExhausted(): boolean {
    return this.bids.isExhausted || this.asks.isExhausted;
  }

  /** Buffers a diff. The buffer is always one unbroken chain. */
  private hold(diff: DepthDiff): void {
    if (diff.lastId > this.lastId && this.early?.add(diff) === false) this.empty();
    const last = this.buffer[this.buffer.length - 1];
    if (last !== undefined && diff.lastId <= last.lastId) return;
    if (last !== undefined && diff.previousLastId !== last.lastId) this.buffer = [];
    if (this.buffer.length >= BUFFERED_DIFFS_MAX) this.buffer = this.buffer.slice(BUFFERED_DIFFS_MAX / 2);
    this.buffer.push(diff);
  }

  private empty(): void {
    this.early = undefined;
    this.bids.clear();
    this.asks.clear();
  }
}
