import type { DepthDiff, DepthSnapshot } from './message';
import { BookSide, type Levels } from '../book-side';

/** Limits for out-of-order diffs. */
const HELD_MAX = 100;
const HELD_MS_MAX = 500;

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

/** Limited to the snapshot's price range: beyond it, only changed levels are known. */
class CoveredSide extends BookSide {
  private worstKey = -Infinity;
  private levelsMin = 0;

  constructor(
    direction: 1 | -1,
    private readonly levelsMax: number,
  ) {
    super(direction);
  }

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

  change({ prices, sizes }: Levels): void {
    for (let index = 0; index < prices.length; index++) {
      const price = prices[index] ?? 0;
      if (price * this.direction >= this.worstKey) this.set(price, sizes[index] ?? 0);
    }
  }
}

/** Diffs waiting for a snapshot; beyond this, the oldest half is dropped. */
const BUFFERED_DIFFS_MAX = 10_000;

const LEVELS_READ = 5;

type DiffVerdict = 'next' | 'old' | 'buffered' | 'gap';

/**
 * Continuity rule: drop diffs with `u` < lastUpdateId; the first applied satisfies `U` <= lastUpdateId <= `u`; then
 * each `pu` equals the previous `u`. A later diff with a lower `u` is a gap: the numbers restarted. After a gap, the
 * old book is retained briefly in case diffs were only reordered.
 */
export class DiffBook {
  readonly bids: CoveredSide;
  readonly asks: CoveredSide;
  lastId = 0;
  lastChangeMs = 0;
  private phase: 'waiting' | 'bridging' | 'whole' = 'waiting';
  private buffer: DepthDiff[] = [];
  private early: EarlyDiffs | undefined;

  constructor(levelsMax = LEVELS_READ) {
    this.bids = new CoveredSide(1, levelsMax);
    this.asks = new CoveredSide(-1, levelsMax);
  }

  get hasBook(): boolean {
    return this.phase !== 'waiting';
  }

  get isWhole(): boolean {
    return this.phase === 'whole';
  }

  judge(diff: DepthDiff): DiffVerdict {
    switch (this.phase) {
      case 'waiting':
        this.hold(diff);
        return 'buffered';
      case 'bridging':
        if (diff.lastId < this.lastId) return 'old';
        return diff.firstId <= this.lastId ? 'next' : 'gap';
      case 'whole':
        if (diff.previousLastId === this.lastId) return 'next';
        return diff.lastId <= this.lastId && diff.timeMs <= this.lastChangeMs ? 'old' : 'gap';
    }
  }

  apply(diff: DepthDiff): void {
    this.phase = 'whole';
    this.lastId = diff.lastId;
    if (diff.timeMs > this.lastChangeMs) this.lastChangeMs = diff.timeMs;
    this.bids.change(diff.bids);
    this.asks.change(diff.asks);
  }

  /** A whole book is retained in case the missing diffs arrive late; any other is emptied. */
  lose(diff?: DepthDiff): void {
    if (diff !== undefined && this.isWhole) this.early = new EarlyDiffs(diff);
    else this.empty();
    this.phase = 'waiting';
    this.buffer = diff === undefined ? [] : [diff];
  }

  takeEarly(): readonly DepthDiff[] {
    const diffs = this.early?.chainFrom(this.lastId) ?? [];
    if (diffs.length === 0) return diffs;
    this.early = undefined;
    this.buffer = [];
    return diffs;
  }

  /**
   * A book without diffs yet also ignores a newer snapshot, which would skip changes in between. `stale` ones are
   * discarded.
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

  get isExhausted(): boolean {
    return this.bids.isExhausted || this.asks.isExhausted;
  }

  private hold(diff: DepthDiff): void {
    if (diff.lastId > this.lastId && this.early?.add(diff) === false) this.empty();
    const last = this.buffer[this.buffer.length - 1];
    if (last !== undefined && diff.lastId <= last.lastId && diff.timeMs <= last.timeMs) return;
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
