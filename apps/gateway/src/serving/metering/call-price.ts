import { type CallPrice, type OperationPrice, type PricedParameters, type PriceFacts, priceCall, weighCall } from '@market-state/pricing';
import type { Operation } from '../openapi/operations';
import { parseInstant } from '../validation/instant';
import type { Input } from '../validation/request-validator';
import { type Timeframe, TIMEFRAMES } from '@market-state/export-schema';

/** Candles of a window that has both its ends; null for an open one. */
function windowCandles({ from, to, tf }: Input['query']): number | null {
  const fromMs = parseInstant(String(from ?? ''));
  const toMs = parseInstant(String(to ?? ''));
  if (fromMs === null || toMs === null) return null;
  return Math.ceil(Math.max(0, toMs - fromMs) / TIMEFRAMES[String(tf) as Timeframe]) + 1;
}

/** The parameters of a validated call that its price depends on. */
function pricedParameters({ counted }: OperationPrice, { query }: Input): PricedParameters {
  return counted.by === 'candles' ? { windowCandles: windowCandles(query) } : (query as PricedParameters);
}

/**
 * The price of a validated call of an operation.
 * @throws {Error} for an operation that is not metered, or whose units are not in its parameters
 */
export function priceOfCall({ operationId, price }: Operation, input: Input, facts: PriceFacts): CallPrice {
  if (price === null) throw new Error(`${operationId} has no price`);
  return priceCall(price, pricedParameters(price, input), facts);
}

/** What a validated call weighs among those in flight. */
export function weightOfOperation({ price }: Operation, input: Input, symbolTotal: number): number {
  return price === null ? 1 : weighCall(price, pricedParameters(price, input), symbolTotal);
}
