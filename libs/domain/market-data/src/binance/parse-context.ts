import { decimalAsSent, positiveAsSent, unsignedAsSent } from '../decimal-as-sent';
import type { LiquidationEvent } from '../event';
import { isCount, isObject, type Json } from '../json';
import { IGNORED, rejected } from '../not-taken';
import type { BinanceMarket, BinanceMessage } from './message';

/** The side of the position that an order of the venue's closes is the other one. */
const POSITIONS = new Map<unknown, LiquidationEvent['positionSide']>([
  ['SELL', 'long'],
  ['BUY', 'short'],
]);
/** Orders that may still be filled: what they come to is told by a later message. */
const UNFINISHED = ['NEW', 'PARTIALLY_FILLED'] as const;

/** `markPriceUpdate`. Index price and funding rate are empty, and the next payment is 0, where there is none, as on delivery contracts. */
export function readMarkPrice({ E: timeMs, p, i, r, s: symbol, T: nextFundingMs }: Json, venueInstrument: string): BinanceMessage {
  if (symbol !== venueInstrument) return rejected('unknown_symbol');
  if (!isCount(timeMs)) return rejected('unknown_message');
  const markPrice = positiveAsSent(p);
  const indexPrice = isAbsent(i) ? undefined : positiveAsSent(i);
  if (markPrice === undefined || (indexPrice === undefined && !isAbsent(i))) return rejected('bad_price');
  const fundingRate = isAbsent(r) ? undefined : decimalAsSent(r);
  if (fundingRate === undefined && !isAbsent(r)) return rejected('bad_size');
  return {
    type: 'mark_price',
    timeMs,
    markPrice,
    ...(indexPrice !== undefined && { indexPrice }),
    ...(fundingRate !== undefined && { fundingRate }),
    ...(isCount(nextFundingMs) && nextFundingMs > 0 && { nextFundingMs }),
  };
}

/** `24hrTicker`: of COIN-M the contracts, of USD-M the quote currency that was traded. */
export function readTicker(
  { E: timeMs, v, q, L: lastTradeId, s: symbol }: Json,
  venueInstrument: string,
  market: BinanceMarket,
): BinanceMessage {
  if (symbol !== venueInstrument) return rejected('unknown_symbol');
  if (!isCount(timeMs)) return rejected('unknown_message');
  const volume = unsignedAsSent(market === 'coinm' ? v : q);
  if (volume === undefined) return rejected('bad_size');
  return { type: 'context_part', volume, ...(isCount(lastTradeId) && { lastTradeId }) };
}

/** The answer of the REST route `openInterest`. */
export function readOpenInterest({ time: timeMs, openInterest: value, symbol }: Json, venueInstrument: string): BinanceMessage {
  if (symbol !== venueInstrument) return rejected('unknown_symbol');
  if (!isCount(timeMs)) return rejected('unknown_message');
  const openInterest = unsignedAsSent(value);
  return openInterest === undefined ? rejected('bad_size') : { type: 'context_part', openInterest };
}

/** An instrument's entry in the answer of the REST route `fundingInfo`. */
export function readFundingInfo({ fundingIntervalHours: hours, symbol }: Json, venueInstrument: string): BinanceMessage {
  if (symbol !== venueInstrument) return rejected('unknown_symbol');
  return isCount(hours) && hours > 0 ? { type: 'funding_interval', hours } : rejected('unknown_message');
}

/** A payment in the answer of the REST route `fundingRate`. */
export function readLastFunding({ fundingTime: timeMs, symbol }: Json, venueInstrument: string): BinanceMessage {
  if (symbol !== venueInstrument) return rejected('unknown_symbol');
  return isCount(timeMs) ? { type: 'funding_payment', timeMs } : rejected('unknown_message');
}

/** `forceOrder`: taken when the order has come to its end with something filled. */
export function readForceOrder({ o }: Json, venueInstrument: string): BinanceMessage {
  if (!isObject(o)) return rejected('unknown_message');
  const { s: symbol, S: side, X: status, ap, z, T: timeMs } = o;
  if (symbol !== venueInstrument) return rejected('unknown_symbol');
  const positionSide = POSITIONS.get(side);
  if (!isCount(timeMs) || positionSide === undefined || typeof status !== 'string') return rejected('unknown_message');
  if (UNFINISHED.some((unfinished) => unfinished === status)) return IGNORED;
  const filled = unsignedAsSent(z);
  if (filled === undefined) return rejected('bad_size');
  if (Number(filled) === 0) return IGNORED;
  const price = positiveAsSent(ap);
  return price === undefined ? rejected('bad_price') : { type: 'liquidation', timeMs, positionSide, price, quantity: filled };
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === '';
}
