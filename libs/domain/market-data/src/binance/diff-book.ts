import type { DepthDiff, DepthSnapshot, Levels } from './message';
import { BookSide } from '../book-side';

/** Diffs that may wait for one before them, and how far their exchange times may lie apart. */
const HELD_MAX = 100;
const HELD_MS_MAX = 500;

/** Diffs of a book that came before one that they follow: held for a moment, in case that one comes late. */
class EarlyDiffs {
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

/**
 * One side of a book that began with a snapshot: it holds the prices that the snapshot reached and better ones. Of worse ones only those
 * that changed since are known, which makes no book, so they are left out.
 */
class CoveredSide extends BookSide {
  /** The worst price of the snapshot, as a key. */
  private worstKey = -Infinity;
  private levelsMin = 0;

  /** @param levelsMax levels that a served book needs, where the snapshot has twice as many */
  constructor(
    direction: 1 | -1,
    private readonly levelsMax: number,
  ) {
    super(direction);
  }

  /** So few levels are left of those covered that the book seems thinner than the market. */
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

/** Diffs that wait for a snapshot; beyond this the oldest half is dropped. */
const BUFFERED_DIFFS_MAX = 10_000;

/** Levels a side that are read of a book. */
const LEVELS_READ = 5;

/** What the continuity rule says of a diff: `next` may be applied, `gap` means that one before it is missing. */
type DiffVerdict = 'next' | 'old' | 'buffered' | 'gap';

/**
 * A full book kept by the venue's continuity rule: diffs wait for a snapshot; those that end before it (`u` < lastUpdateId)
 * are dropped; the first applied must span it (`U` <= lastUpdateId <= `u`); from then on every `pu` is the `u` before.
 * After a gap the book from before it is kept for a moment: diffs that only came out of order still apply to it.
 */
export class DiffBook {
  readonly bids: CoveredSide;
  readonly asks: CoveredSide;
  /** Update id and exchange time of the last change that was applied. */
  lastId = 0;
  lastChangeMs = 0;
  private phase: 'waiting' | 'bridging' | 'whole' = 'waiting';
  private buffer: DepthDiff[] = [];
  /** Diffs behind a gap, while the book from before it is kept. */
  private early: EarlyDiffs | undefined;

  /** @param levelsMax levels a side that a served book needs, as of `CoveredSide` */
  constructor(levelsMax = LEVELS_READ) {
    this.bids = new CoveredSide(1, levelsMax);
    this.asks = new CoveredSide(-1, levelsMax);
  }

  /** False from the start, or from a gap, until a snapshot fits. */
  get hasBook(): boolean {
    return this.phase !== 'waiting';
  }

  /** A diff has been applied since the snapshot, and none is missing. */
  get isWhole(): boolean {
    return this.phase === 'whole';
  }

  /** Judges a diff without applying it. One that has to wait is buffered here. */
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

  /** Applies a diff that `judge` called next. */
  apply(diff: DepthDiff): void {
    this.phase = 'whole';
    this.lastId = diff.lastId;
    if (diff.timeMs > this.lastChangeMs) this.lastChangeMs = diff.timeMs;
    this.bids.change(diff.bids);
    this.asks.change(diff.asks);
  }

  /**
   * The book can no longer be trusted: it waits for a snapshot; `diff`, where given, waits with it. A whole book that lacks what is
   * before the diff is kept, in case that comes late; any other is emptied.
   */
  lose(diff?: DepthDiff): void {
    if (diff !== undefined && this.isWhole) this.early = new EarlyDiffs(diff);
    else this.empty();
    this.phase = 'waiting';
    this.buffer = diff === undefined ? [] : [diff];
  }

  /** The diffs behind a gap, to be applied in this order, once all of them follow the book from before it; none while one is missing. */
  takeEarly(): readonly DepthDiff[] {
    const diffs = this.early?.chainFrom(this.lastId) ?? [];
    if (diffs.length === 0) return diffs;
    this.early = undefined;
    this.buffer = [];
    return diffs;
  }

  /**
   * Takes a snapshot where there is no book, and the diffs that waited for it. A book that no diff has followed yet needs no newer one
   * either: that would pass over what is missing between the two.
   * `stale`: it is older than the book, or than the diffs that wait; it is thrown away.
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

  /** The market has left the prices that the snapshot covered: the book can't be served any more. */
  get isExhausted(): boolean {
    return this.bids.isExhausted || this.asks.isExhausted;
  }

  /** Holds a diff until a snapshot comes. What waits is always one unbroken chain. */
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
