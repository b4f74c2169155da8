import type { LogPlace, LogWriter } from '../log-writer';
import { writeTradeGap } from '../trade-gap';

/**
 * Tells trades that are missing by their numbers, which rise by 1, over connections too. One that was rejected is missing like one that
 * never came. A number that is not above all before it, as of what is sent twice or late, tells nothing.
 */
export class TradeNumbers {
  private newestId: number | undefined;
  private isBroken = false;
  private lastTrade: { readonly id: number; readonly timeMs: number } | undefined;

  constructor(
    private readonly place: Pick<LogPlace, 'instrument' | 'pass'>,
    private readonly log: LogWriter,
  ) {
    const before = log.tradeBefore;
    if (before === undefined) return;
    this.newestId = Number(before.venueId);
    this.lastTrade = { id: this.newestId, timeMs: before.exchangeTsMs };
  }

  /** A number came, of a trade or of a fill that is none. */
  came(id: number): void {
    if (this.newestId !== undefined && id > this.newestId + 1) this.isBroken = true;
    this.newestId = Math.max(id, this.newestId ?? id);
  }

  /**
   * A trade is about to be logged: writes the gap before it, from the last one's time to its own, where numbers between them are missing.
   */
  trade(id: number, timeMs: number): void {
    const isNewest = this.newestId === undefined || id > this.newestId;
    this.came(id);
    if (!isNewest) return;
    const { lastTrade } = this;
    if (this.isBroken && lastTrade !== undefined) {
      writeTradeGap(this.place, this.log, {
        startMs: lastTrade.timeMs,
        endMs: Math.max(lastTrade.timeMs, timeMs),
        lastVenueId: String(lastTrade.id),
      });
    }
    this.isBroken = false;
    this.lastTrade = { id, timeMs };
  }
}
