import type { BookMessage, MarketStep } from '@market-state/scenarios';
import type { TradeRow } from '@market-state/simulated-venue';

/** Books that are remembered, newest. */
const BOOKS_KEPT = 400;

/** What really happened on the venue. */
export class TrueMarket {
  readonly trades = new Map<string, TradeRow>();
  private readonly books = new Map<number, BookMessage>();

  take(step: MarketStep, trades: readonly TradeRow[]): void {
    for (const trade of trades) this.trades.set(String(trade.tid), trade);
    for (const message of step.happened) {
      if (message.kind !== 'book') continue;
      this.books.set(message.tsMs, message);
      const [oldest] = this.books.keys();
      if (this.books.size > BOOKS_KEPT && oldest !== undefined) this.books.delete(oldest);
    }
  }

  newest(): BookMessage | undefined {
    return [...this.books.values()].at(-1);
  }

  /** The book of exactly this time, of the last hundred seconds. */
  bookAt(timeMs: number): BookMessage | undefined {
    return this.books.get(timeMs);
  }
}
