import type { Given, OperationFacts } from './request';

/** Calls of a sandbox key cost one credit each, whatever they are. */
const SANDBOX_KEY = /^msk_test_/;

/**
 * The most that a call can cost, in credits of its kind, by the price table this version of the SDK was made with; null where that is
 * not known before it is asked (`symbol=ALL`, exports, streams). 0 for what is free or not metered.
 */
export function boundOf({ price }: OperationFacts, given: Given, apiKey: string | undefined): number | null {
  if (price === undefined) return 0;
  if (apiKey !== undefined && SANDBOX_KEY.test(apiKey)) return 1;
  if (typeof price === 'number') return price;
  if (price === 'symbols') return given['symbol'] === 'ALL' ? null : 1;
  if (typeof price === 'string') return null;
  const units = Number(given[price.of] ?? price.usual);
  if (!Number.isFinite(units)) return null;
  const steps = units / price.size;
  return price.base + (price.up ? Math.ceil(steps) : Math.floor(steps));
}
