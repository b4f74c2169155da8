import type { LogPlace, LogWriter } from '../log-writer';
import { withdrawGap, type WrittenGap, writeTradeGap } from '../gap-id';

/** Numbers of one gap that are remembered; where more are missing, the gap is not found to be filled. */
const REMEMBERED_MAX = 1_000;

/** Numbers that were passed over and may still come, each once. */
class MissingNumbers {
  private readonly ids = new Set<number>();
  private total = 0;

  /** From `firstId` up to, not including, `endId`. */
  add(firstId: number, endId: number): void {
    this.total += endId - firstId;
    for (let id = firstId; id < endId && this.ids.size < REMEMBERED_MAX; id++) this.ids.add(id);
  }

  /** @returns whether the number was missing */
  came(id: number): boolean {
    const wasMissing = this.ids.delete(id);
    if (wasMissing) this.total--;
    return wasMissing;
  }

  /** None is missing. */
  get isEmpty(): boolean {
    return this.total === 0;
  }
}

/** Gaps that can still be withdrawn; of more, the oldest stay. */
const GAPS_MAX = 100;

/**
 * Tells trades that are missing by their numbers, which rise by 1, over connections too. One that was rejected is missing like one that
 * never came. A number that comes late, in the same connection, is missing no more: the gap whose last number it was is withdrawn. One that
 * is sent twice tells nothing.
 */
export class TradeNumbers {
  private newestId: number | undefined;
  /** Since the last trade. */
  private missing = new MissingNumbers();
  private lastTrade: { readonly id: number; readonly timeMs: number } | undefined;
  /** Gaps with what is missing in them, oldest first. */
  private gaps: { readonly gap: WrittenGap; readonly missing: MissingNumbers }[] = [];

  constructor(
    private readonly place: Pick<LogPlace, 'instrument' | 'pass'>,
    private readonly log: LogWriter,
  ) {
    const before = log.tradeBefore;
    if (before === undefined) return;
    this.newestId = Number(before.venueId);
    this.lastTrade = { id: this.newestId, timeMs: before.exchangeTsMs };
  }

  /** The highest number that came; 0 before the first. */
  get newest(): number {
    return this.newestId ?? 0;
  }

  /** A number came, with or without a trade: withdraws the gap that it fills. */
  came(id: number): void {
    const { newestId } = this;
    if (newestId !== undefined && id <= newestId) return this.cameLate(id);
    if (newestId !== undefined) this.missing.add(newestId + 1, id);
    this.newestId = id;
  }

  /**
   * A trade is about to be logged: writes the gap before it, from the last one's time to its own, where numbers between them are missing.
   */
  trade(id: number, timeMs: number): void {
    const isNewest = this.newestId === undefined || id > this.newestId;
    this.came(id);
    if (!isNewest) return;
    const { lastTrade, missing } = this;
    if (!missing.isEmpty && lastTrade !== undefined) {
      const endMs = Math.max(lastTrade.timeMs, timeMs);
      const gap = writeTradeGap(this.place, this.log, { startMs: lastTrade.timeMs, endMs, lastVenueId: String(lastTrade.id) });
      this.gaps = [...this.gaps.slice(1 - GAPS_MAX), { gap, missing }];
    }
    this.missing = new MissingNumbers();
    this.lastTrade = { id, timeMs };
  }

  private cameLate(id: number): void {
    if (this.missing.came(id)) return;
    const filled = this.gaps.find(({ missing }) => missing.came(id));
    if (filled?.missing.isEmpty !== true) return;
    this.gaps = this.gaps.filter((each) => each !== filled);
    withdrawGap(this.log, filled.gap);
  }
}
