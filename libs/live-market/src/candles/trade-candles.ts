import { compareVenueIds, type TradeEvent } from '@market-state/market-data';

/** `scale` is the number of decimal places. */
interface Exact {
  readonly digits: bigint;
  readonly scale: number;
}

/** @throws {SyntaxError} unless the text is a plain decimal */
export function exactOf(text: string): Exact {
  const point = text.indexOf('.');
  if (point === -1) return { digits: BigInt(text), scale: 0 };
  return { digits: BigInt(text.slice(0, point) + text.slice(point + 1)), scale: text.length - point - 1 };
}

export function product(a: Exact, b: Exact): Exact {
  return { digits: a.digits * b.digits, scale: a.scale + b.scale };
}

/** Negative, 0 or positive. */
export function compareExact(a: Exact, b: Exact): number {
  const scale = Math.max(a.scale, b.scale);
  const [left, right] = [scaled(a, scale), scaled(b, scale)];
  return left === right ? 0 : left < right ? -1 : 1;
}

export class ExactSum implements Exact {
  digits = 0n;
  scale = 0;

  add(value: Exact): void {
    if (value.scale > this.scale) {
      this.digits = scaled(this, value.scale);
      this.scale = value.scale;
    }
    this.digits += value.scale === this.scale ? value.digits : scaled(value, this.scale);
  }

  /** Includes trailing zeros. */
  toString(): string {
    if (this.scale === 0) return this.digits.toString();
    const isNegative = this.digits < 0n;
    const text = (isNegative ? -this.digits : this.digits).toString().padStart(this.scale + 1, '0');
    const point = text.length - this.scale;
    return `${isNegative ? '-' : ''}${text.slice(0, point)}.${text.slice(point)}`;
  }
}

function scaled({ digits, scale }: Exact, toScale: number): bigint {
  return toScale === scale ? digits : digits * 10n ** BigInt(toScale - scale);
}

/** Exact sums of a candle's trades. */
export interface TradeCandle {
  readonly openMs: number;
  /** Ordered by exchange time, pass and venue id. */
  readonly open: TradeEvent;
  readonly close: TradeEvent;
  readonly high: TradeEvent;
  readonly low: TradeEvent;
  /** Base units. */
  readonly volume: ExactSum;
  /** Price × size of trades quoted in base units. */
  readonly value: ExactSum;
  /** Contracts of all other trades. */
  readonly contracts: ExactSum;
  /** Price × size of those, for an unknown contract value. */
  readonly contractTrades: ExactSum;
  readonly tradeTotal: number;
  /** Milliseconds since the epoch. */
  readonly lastReceivedMs: number;
}

type Open = { -readonly [K in keyof TradeCandle]: TradeCandle[K] } & { highExact: Exact; lowExact: Exact };

/** Sums trades by candle, in any order of arrival. */
export class TradeCandles {
  private readonly candles = new Map<number, Open>();
  private last: Open | undefined;

  /** @param intervalMs candles open at its multiples */
  constructor(private readonly intervalMs: number) {}

  add(trade: TradeEvent): void {
    const price = exactOf(trade.price);
    const candle = this.candleOf(trade, price);
    if (isBefore(trade, candle.open)) candle.open = trade;
    if (!isBefore(trade, candle.close)) candle.close = trade;
    if (trade.price !== candle.high.price && compareExact(price, candle.highExact) > 0) [candle.high, candle.highExact] = [trade, price];
    if (trade.price !== candle.low.price && compareExact(price, candle.lowExact) < 0) [candle.low, candle.lowExact] = [trade, price];
    const size = exactOf(trade.size);
    candle.volume.add(size);
    if (trade.venueSize === undefined) candle.value.add(product(price, size));
    else {
      candle.contractTrades.add(product(price, size));
      candle.contracts.add(exactOf(trade.venueSize));
    }
    candle.tradeTotal += 1;
    candle.lastReceivedMs = Math.max(candle.lastReceivedMs, trade.receivedTsMs);
  }

  /** Oldest first. */
  list(): TradeCandle[] {
    return [...this.candles.values()].sort((a, b) => a.openMs - b.openMs);
  }

  private candleOf(trade: TradeEvent, price: Exact): Open {
    const openMs = Math.floor(trade.exchangeTsMs / this.intervalMs) * this.intervalMs;
    if (this.last?.openMs === openMs) return this.last;
    const candle = this.candles.get(openMs) ?? startCandle(openMs, trade, price);
    this.candles.set(openMs, candle);
    this.last = candle;
    return candle;
  }
}

function startCandle(openMs: number, trade: TradeEvent, price: Exact): Open {
  const sums = { volume: new ExactSum(), value: new ExactSum(), contracts: new ExactSum(), contractTrades: new ExactSum() };
  return {
    openMs,
    open: trade,
    close: trade,
    high: trade,
    low: trade,
    highExact: price,
    lowExact: price,
    ...sums,
    tradeTotal: 0,
    lastReceivedMs: 0,
  };
}

function isBefore(a: TradeEvent, b: TradeEvent): boolean {
  if (a.exchangeTsMs !== b.exchangeTsMs) return a.exchangeTsMs < b.exchangeTsMs;
  return a.pass === b.pass ? compareVenueIds(a.venueId, b.venueId) < 0 : a.pass < b.pass;
}
