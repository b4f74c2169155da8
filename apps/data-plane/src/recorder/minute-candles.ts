import { compareVenueIds, type TradeEvent } from '@market-state/market-data';
import { type CandleChange, MINUTE_MS } from '../store/candle-minutes';
import { tradeKey } from '../store/trade-key';
import { compareExact, type Exact, exactOf, ExactSum, product } from './exact-sum';

/** A minute while trades are added to it. */
interface Minute {
  readonly openMs: number;
  open: TradeEvent;
  close: TradeEvent;
  high: TradeEvent;
  low: TradeEvent;
  highExact: Exact;
  lowExact: Exact;
  readonly volume: ExactSum;
  /** Price × size of trades whose quantity is in base units alone. */
  readonly value: ExactSum;
  /** Contracts of the others, and their price × size. */
  readonly contracts: ExactSum;
  readonly contractTrades: ExactSum;
  tradeTotal: number;
}

/** Sums trades by the minute of their exchange time; exact, in whatever order they come. */
export class MinuteCandles {
  private readonly minutes = new Map<number, Minute>();
  private last: Minute | undefined;

  add(trade: TradeEvent): void {
    const openMs = Math.floor(trade.exchangeTsMs / MINUTE_MS) * MINUTE_MS;
    const price = exactOf(trade.price);
    const minute = this.minuteOf(openMs, trade, price);
    if (isBefore(trade, minute.open)) minute.open = trade;
    if (!isBefore(trade, minute.close)) minute.close = trade;
    if (trade.price !== minute.high.price && compareExact(price, minute.highExact) > 0) [minute.high, minute.highExact] = [trade, price];
    if (trade.price !== minute.low.price && compareExact(price, minute.lowExact) < 0) [minute.low, minute.lowExact] = [trade, price];
    const size = exactOf(trade.size);
    minute.volume.add(size);
    (trade.venueSize === undefined ? minute.value : minute.contractTrades).add(product(price, size));
    if (trade.venueSize !== undefined) minute.contracts.add(exactOf(trade.venueSize));
    minute.tradeTotal += 1;
  }

  /** What the trades add to the stored minutes, oldest first. */
  changes(): CandleChange[] {
    return [...this.minutes.values()].sort((a, b) => a.openMs - b.openMs).map(toChange);
  }

  private minuteOf(openMs: number, trade: TradeEvent, price: Exact): Minute {
    if (this.last?.openMs === openMs) return this.last;
    const minute = this.minutes.get(openMs) ?? startMinute(openMs, trade, price);
    this.minutes.set(openMs, minute);
    this.last = minute;
    return minute;
  }
}

function startMinute(openMs: number, trade: TradeEvent, price: Exact): Minute {
  const sums = { volume: new ExactSum(), value: new ExactSum(), contracts: new ExactSum(), contractTrades: new ExactSum() };
  return { openMs, open: trade, close: trade, high: trade, low: trade, highExact: price, lowExact: price, ...sums, tradeTotal: 0 };
}

function isBefore(a: TradeEvent, b: TradeEvent): boolean {
  if (a.exchangeTsMs !== b.exchangeTsMs) return a.exchangeTsMs < b.exchangeTsMs;
  return a.pass === b.pass ? compareVenueIds(a.venueId, b.venueId) < 0 : a.pass < b.pass;
}

function toChange({ openMs, open, close, high, low, volume, value, contracts, contractTrades, tradeTotal }: Minute): CandleChange {
  return {
    open_ms: openMs,
    open: open.price,
    high: high.price,
    low: low.price,
    close: close.price,
    volume: volume.toString(),
    value: value.toString(),
    contracts: contracts.toString(),
    contract_trades: contractTrades.toString(),
    trade_total: tradeTotal,
    open_key: tradeKey(open),
    close_key: tradeKey(close),
  };
}
