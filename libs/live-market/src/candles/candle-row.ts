import { addDecimals, multiplyDecimals } from '@market-state/market-data';
import { compareExact, exactOf } from './exact-sum';
import type { TradeCandle } from './trade-candles';

/** A candle with trades. Decimals in plain notation without trailing zeros. */
export interface CandleRow {
  readonly openMs: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  /** Base units. */
  readonly volume: string;
  /** Quote currency. */
  readonly notional: string;
  readonly tradeTotal: number;
  /** When the newest of its trades was received, milliseconds since the epoch; 0 where that was not kept. */
  readonly lastReceivedMs: number;
}

/**
 * Candles of trades. What trades in contracts turned over is contracts × contract value, which is exact, where price × size carries the
 * rounding of the size; where the contract value is not known it is price × size.
 */
export function toCandleRows(candles: readonly TradeCandle[], contractValue: string | undefined): CandleRow[] {
  return candles.map(({ openMs, open, high, low, close, volume, value, contracts, contractTrades, tradeTotal, lastReceivedMs }) => {
    const ofContracts = contractValue === undefined ? contractTrades.toString() : multiplyDecimals(contracts.toString(), contractValue);
    return {
      openMs,
      open: open.price,
      high: high.price,
      low: low.price,
      close: close.price,
      volume: addDecimals(volume.toString(), '0'),
      notional: addDecimals(value.toString(), ofContracts),
      tradeTotal,
      lastReceivedMs,
    };
  });
}

/** One candle for each opening time, of parts whose trades follow each other in time. */
export function joinCandles(parts: readonly CandleRow[]): CandleRow[] {
  const joined: CandleRow[] = [];
  for (const part of parts) {
    const before = joined.at(-1);
    if (before?.openMs === part.openMs) joined[joined.length - 1] = join(before, part);
    else joined.push(part);
  }
  return joined;
}

function join(before: CandleRow, after: CandleRow): CandleRow {
  return {
    openMs: before.openMs,
    open: before.open,
    high: compareExact(exactOf(after.high), exactOf(before.high)) > 0 ? after.high : before.high,
    low: compareExact(exactOf(after.low), exactOf(before.low)) < 0 ? after.low : before.low,
    close: after.close,
    volume: addDecimals(before.volume, after.volume),
    notional: addDecimals(before.notional, after.notional),
    tradeTotal: before.tradeTotal + after.tradeTotal,
    lastReceivedMs: Math.max(before.lastReceivedMs, after.lastReceivedMs),
  };
}
