import {
  type BookMessage,
  type ContextMessage,
  endlessMarket,
  type LiquidationMessage,
  type MarketStep,
  STEP_MS,
  type TradeMessage,
  type VenueScenario,
} from '@market-state/scenarios';
import { SYMBOL } from '../protocol/frames';

export type Level = readonly [price: string, size: string];

/** Levels that differ from the book before; size 0 is a level that is gone. */
export interface BookChange {
  readonly tsMs: number;
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

export interface TapeStep {
  readonly startMs: number;
  readonly change: BookChange | undefined;
  readonly trades: readonly TradeMessage[];
  readonly contexts: readonly ContextMessage[];
  readonly liquidations: readonly LiquidationMessage[];
}

const TRADES_KEPT = 2_000;
const MINUTE_MS = 60_000;

/** The scenarios' market as changes of its book, with what REST routes answer about the past. */
export class MarketTape {
  book: BookMessage | undefined;
  context: ContextMessage | undefined;
  /** Newest last. */
  trades: readonly TradeMessage[] = [];
  nextMs: number;
  private readonly steps: Generator<MarketStep, never>;

  /** @param startMs multiple of 10,000 */
  constructor(seed: number, startMs: number, scenario: VenueScenario) {
    this.steps = endlessMarket({ seed, symbol: SYMBOL, startMs, scenario });
    this.nextMs = startMs;
  }

  step(): TapeStep {
    const { startMs, happened } = this.steps.next().value;
    this.nextMs = startMs + STEP_MS;
    const before = this.book;
    this.book = happened.findLast((message) => message.kind === 'book') ?? before;
    const trades = happened.filter((message) => message.kind === 'trade');
    const contexts = happened.filter((message) => message.kind === 'context');
    this.trades = [...this.trades, ...trades].slice(-TRADES_KEPT);
    this.context = contexts.at(-1) ?? this.context;
    return {
      startMs,
      change: this.book === undefined || this.book === before ? undefined : changeBetween(before, this.book),
      trades,
      contexts,
      liquidations: happened.filter((message) => message.kind === 'liquidation'),
    };
  }

  /** Open, high, low, close and size of each minute with trades, oldest first. */
  minutes(): readonly { readonly startMs: number; readonly prices: readonly string[]; readonly size: number }[] {
    const byMinute = Map.groupBy(this.trades, ({ tsMs }) => Math.floor(tsMs / MINUTE_MS) * MINUTE_MS);
    return [...byMinute].map(([startMs, trades]) => {
      const sorted = trades.toSorted((a, b) => Number(a.price) - Number(b.price));
      const prices = [trades[0], sorted.at(-1), sorted[0], trades.at(-1)].map((trade) => trade?.price ?? '');
      return { startMs, prices, size: trades.reduce((sum, { size }) => sum + Number(size), 0) };
    });
  }
}

function changeBetween(before: BookMessage | undefined, after: BookMessage): BookChange {
  return { tsMs: after.tsMs, bids: changedLevels(before?.bids ?? [], after.bids), asks: changedLevels(before?.asks ?? [], after.asks) };
}

function changedLevels(before: BookMessage['bids'], after: BookMessage['bids']): readonly Level[] {
  const old = new Map(before.map(({ price, size }) => [price, size]));
  const changed = after.flatMap(({ price, size }): Level[] => (old.get(price) === size ? [] : [[price, size]]));
  const kept = new Set(after.map(({ price }) => price));
  return [...[...old.keys()].filter((price) => !kept.has(price)).map((price): Level => [price, '0']), ...changed];
}
