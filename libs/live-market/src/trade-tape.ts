import { compareEvents, type TradeEvent } from '@market-state/market-data';

/** Trades that are kept. */
export const TAPE_LENGTH = 1_000;
/** Slack before the oldest are dropped, so that dropping is rare. */
const SLACK = 1_000;

/** The newest trades of a symbol, by exchange time, pass and venue id, however late each came; each once. */
export class TradeTape {
  /** Oldest first. */
  private trades: TradeEvent[] = [];

  add(trade: TradeEvent): void {
    let index = this.trades.length;
    let order = -1;
    while (index > 0 && (order = compareEvents(this.trades[index - 1] ?? trade, trade)) > 0) index -= 1;
    if (index > 0 && order === 0) return;
    this.trades.splice(index, 0, trade);
    if (this.trades.length > TAPE_LENGTH + SLACK) this.trades = this.trades.slice(-TAPE_LENGTH);
  }

  /** Up to `limit` (at most `TAPE_LENGTH`) trades, newest first. */
  newest(limit: number): TradeEvent[] {
    return this.trades.slice(-Math.min(limit, TAPE_LENGTH)).reverse();
  }

  /** All that are kept, oldest first. */
  all(): readonly TradeEvent[] {
    return this.trades;
  }

  get length(): number {
    return this.trades.length;
  }
}
