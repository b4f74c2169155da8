import { CoveredSide } from './covered-side';
import { EarlyDiffs } from './early-diffs';
import type { DepthDiff, DepthSnapshot } from './message';

/** Diffs that wait for a snapshot; beyond this the oldest half is dropped. */
const BUFFERED_DIFFS_MAX = 10_000;

/** Levels a side that are read of a book. */
const LEVELS_READ = 5;

/** What the continuity rule says of a diff: `next` may be applied, `gap` means that one before it is missing. */
export type DiffVerdict = 'next' | 'old' | 'buffered' | 'gap';

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
