import { decimalAsSent, positiveAsSent, unsignedAsSent } from '../decimal-as-sent';
import type { TradeEvent } from '../event';
import { isCount, isObject } from '../json';
import { IGNORED, type NotTaken, rejected } from '../not-taken';
import { positiveDecimal } from '../positive-decimal';
import type { FundingPayment, HyperliquidMessage, HyperliquidTrade, SimulatedLiquidation } from './message';

/** `side` of a trade is the taker's: B(id) buys, A(sk) sells. */
const SIDES = new Map<unknown, TradeEvent['aggressorSide']>([
  ['B', 'buy'],
  ['A', 'sell'],
]);
const POSITION_SIDES = new Map<unknown, SimulatedLiquidation['positionSide']>([
  ['long', 'long'],
  ['short', 'short'],
]);

/** `trades`, pushed, or the answer to `recentTrades`. */
export function readTrades(rows: unknown, coin: string, isAnswer: boolean): HyperliquidMessage {
  if (!Array.isArray(rows)) return rejected('unknown_message');
  return { type: 'trades', isAnswer, trades: (rows as unknown[]).map((row) => readTrade(row, coin)) };
}

function readTrade(row: unknown, coin: string): HyperliquidTrade | NotTaken {
  if (!isObject(row) || typeof row['coin'] !== 'string') return rejected('unknown_message');
  if (row['coin'] !== coin) return IGNORED;
  const { tid, time: timeMs, px, sz, side } = row;
  const aggressorSide = SIDES.get(side);
  if (!isCount(tid) || !isCount(timeMs) || aggressorSide === undefined) return rejected('unknown_message');
  const price = positiveDecimal(px);
  if (price === undefined) return rejected('bad_price');
  const size = positiveDecimal(sz);
  if (size === undefined) return rejected('bad_size');
  return { type: 'trade', timeMs, id: String(tid), price, size, aggressorSide };
}

/** The answer to `fundingHistory`. */
export function readFunding(rows: readonly unknown[], coin: string): HyperliquidMessage {
  return { type: 'funding', payments: rows.map((row) => readPayment(row, coin)) };
}

function readPayment(row: unknown, coin: string): FundingPayment | NotTaken {
  if (!isObject(row) || typeof row['coin'] !== 'string' || !isCount(row['time'])) return rejected('unknown_message');
  if (row['coin'] !== coin) return IGNORED;
  const rate = decimalAsSent(row['fundingRate']);
  return rate === undefined ? rejected('bad_size') : { type: 'funding_payment', timeMs: row['time'], rate };
}

/** `simLiquidations`, of the simulated venue alone. */
export function readLiquidations(rows: unknown, coin: string): HyperliquidMessage {
  if (!Array.isArray(rows)) return rejected('unknown_message');
  return { type: 'liquidations', liquidations: (rows as unknown[]).map((row) => readLiquidation(row, coin)) };
}

function readLiquidation(row: unknown, coin: string): SimulatedLiquidation | NotTaken {
  if (!isObject(row) || typeof row['coin'] !== 'string') return rejected('unknown_message');
  if (row['coin'] !== coin) return IGNORED;
  const { id, time: timeMs, px, sz } = row;
  const positionSide = POSITION_SIDES.get(row['positionSide']);
  if (!isCount(id) || !isCount(timeMs) || positionSide === undefined) return rejected('unknown_message');
  const price = positiveDecimal(px);
  if (price === undefined) return rejected('bad_price');
  const size = positiveDecimal(sz);
  return size === undefined ? rejected('bad_size') : { type: 'liquidation', timeMs, id: String(id), positionSide, price, size };
}

/**
 * `funding` is the rate of one hourly payment, `openInterest` counts coins, `dayNtlVlm` dollars. `midPx` is null where the
 * book has an empty side: absent then, like any field that is not sent. A context of nothing is none.
 */
export function readContext(ctx: unknown): HyperliquidMessage {
  if (!isObject(ctx)) return rejected('unknown_message');
  const { funding, openInterest, markPx, oraclePx, midPx, dayNtlVlm } = ctx;
  const [markPrice, oraclePrice, midPrice] = [markPx, oraclePx, midPx].map((price) => optional(price, positiveAsSent));
  if (markPrice === null || oraclePrice === null || midPrice === null) return rejected('bad_price');
  const [fundingRate, interest, dayVolume] = [
    optional(funding, decimalAsSent),
    optional(openInterest, unsignedAsSent),
    optional(dayNtlVlm, unsignedAsSent),
  ];
  if (fundingRate === null || interest === null || dayVolume === null) return rejected('bad_size');
  if ([markPrice, oraclePrice, midPrice, fundingRate, interest, dayVolume].every((value) => value === undefined)) return IGNORED;
  return { type: 'context', facts: { fundingRate, openInterest: interest, markPrice, oraclePrice, midPrice, dayVolume } };
}

/** Undefined where nothing was sent, null where it is no such decimal. */
function optional(value: unknown, read: (value: unknown) => string | undefined): string | undefined | null {
  return value === undefined || value === null ? undefined : (read(value) ?? null);
}
