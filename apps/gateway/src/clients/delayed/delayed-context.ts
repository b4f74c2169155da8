import type { marketData } from '@market-state/contracts';
import { addDecimals, type ContextEvent, divideDecimals, fundingHoursOf, multiplyDecimals } from '@market-state/market-data';

type Value = marketData.ContextValue;

const BASIS_DECIMALS = 4;

/** The newest of one field, as of its row. */
function newestOf(events: readonly ContextEvent[], field: (event: ContextEvent) => string | undefined): Value | undefined {
  for (const event of events.toReversed()) {
    const value = field(event);
    if (value !== undefined) return { value, asOfMs: event.exchangeTsMs };
  }
  return undefined;
}

function combined(a: Value | undefined, b: Value | undefined, compute: (a: string, b: string) => string): Value | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { value: compute(a.value, b.value), asOfMs: Math.min(a.asOfMs, b.asOfMs) };
}

/** (mark / oracle - 1) × 10,000. */
function basisBps(mark: string, oracle: string): string {
  return divideDecimals(multiplyDecimals(addDecimals(mark, `-${oracle}`), '10000'), oracle, BASIS_DECIMALS);
}

/** The newest of each value in recorded rows of context, given in log order. */
export function contextValues(events: readonly ContextEvent[]) {
  const funding = (event: ContextEvent) => event.venueFundingRate ?? event.fundingRate;
  const openInterest = newestOf(events, (event) => event.openInterest);
  const markPrice = newestOf(events, (event) => event.markPrice);
  const oraclePrice = newestOf(events, (event) => event.oraclePrice);
  const lastFunding = events.findLast((event) => funding(event) !== undefined);
  return {
    fundingRate: newestOf(events, funding),
    fundingIntervalHours: (lastFunding && fundingHoursOf(lastFunding)) ?? 0,
    openInterest,
    openInterestUsd: combined(openInterest, markPrice, multiplyDecimals),
    markPrice,
    oraclePrice,
    basisBps: combined(markPrice, oraclePrice, basisBps),
    dayVolumeUsd: newestOf(events, (event) => event.dayVolume),
  };
}
