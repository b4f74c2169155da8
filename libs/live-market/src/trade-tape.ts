import { compareEvents, type TradeEvent } from '@market-state/market-data';
import { isAfter, type LogPosition } from './log-position';

export const TAPE_LENGTH = 1_000;
const SLACK = 1_000;

/** Ordered by exchange time, pass and venue id regardless of arrival; deduplicated. */
export class TradeTape {
  /** Oldest first. */
  private trades: TradeEvent[] = [];
  private newestPosition: LogPosition | undefined;
  private disordered: LogPosition | undefined;

  add(trade: TradeEvent): void {
    let index = this.trades.length;
    let order = -1;
    while (index > 0 && (order = compareEvents(this.trades[index - 1] ?? trade, trade)) > 0) index -= 1;
    const isNewest = index === this.trades.length && order !== 0;
    const followsOn = this.newestPosition === undefined || isAfter(trade, this.newestPosition);
    if (followsOn) this.newestPosition = trade;
    // If log and time order of two trades differ, the later one in the log came late.
    if (!isNewest || !followsOn) this.disordered = this.newestPosition;
    if (index > 0 && order === 0) return;
    this.trades.splice(index, 0, trade);
    if (this.trades.length > TAPE_LENGTH + SLACK) this.trades = this.trades.slice(-TAPE_LENGTH);
  }

  /** At most `TAPE_LENGTH`, newest first. */
  newest(limit: number): TradeEvent[] {
    return this.trades.slice(-Math.min(limit, TAPE_LENGTH)).reverse();
  }

  /** Oldest first. */
  all(): readonly TradeEvent[] {
    return this.trades;
  }

  get disorderedTo(): LogPosition | undefined {
    return this.disordered;
  }

  get length(): number {
    return this.trades.length;
  }
}
