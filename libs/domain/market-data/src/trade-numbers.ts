import type { LogPosition, LogWriter } from './log-writer';
import { withdrawGap, type WrittenGap, writeTradeGap } from './gap-id';

/** Ids tracked per gap; larger gaps are never withdrawn. */
const REMEMBERED_MAX = 1_000;

class MissingNumbers {
  private readonly ids = new Set<number>();
  private total = 0;

  add(firstId: number, endId: number): void {
    this.total += endId - firstId;
    for (let id = firstId; id < endId && this.ids.size < REMEMBERED_MAX; id++) this.ids.add(id);
  }

  came(id: number): boolean {
    const wasMissing = this.ids.delete(id);
    if (wasMissing) this.total--;
    return wasMissing;
  }

  get isEmpty(): boolean {
    return this.total === 0;
  }
}

const GAPS_MAX = 100;

/**
 * Trade numbers are consecutive, also across connections if they are the trades' ids. Rejected trades count as missing.
 * A gap is withdrawn once all its numbers arrive late on the same connection.
 */
export class TradeNumbers {
  private newestId: number | undefined;
  private missing = new MissingNumbers();
  private lastTrade: { readonly id: number; readonly timeMs: number } | undefined;
  private gaps: { readonly gap: WrittenGap; readonly missing: MissingNumbers }[] = [];

  constructor(
    private readonly place: Pick<LogPosition, 'instrument' | 'pass'>,
    private readonly log: LogWriter,
  ) {
    const before = log.tradeBefore;
    const id = Number(before?.venueId);
    if (before === undefined || Number.isNaN(id)) return;
    this.newestId = id;
    this.lastTrade = { id: this.newestId, timeMs: before.exchangeTsMs };
  }

  get newest(): number {
    return this.newestId ?? 0;
  }

  came(id: number): void {
    const { newestId } = this;
    if (newestId !== undefined && id <= newestId) return this.cameLate(id);
    if (newestId !== undefined) this.missing.add(newestId + 1, id);
    this.newestId = id;
  }

  /** Call before logging a trade: writes a gap if ids before it are missing. */
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
