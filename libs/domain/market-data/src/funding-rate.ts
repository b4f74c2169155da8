import { divideDecimals } from './decimal';
import type { ContextEvent } from './event';

/** Decimals of a rate an hour that is a quotient. */
const RATE_DECIMALS = 12;

/**
 * The funding of a context entry from what one payment costs (a decimal as sent) and the whole hours between payments. Where they
 * are an hour apart, the rate is the venue's to the last digit. Else it is the quotient, rounded half-even to 12 decimals, and the
 * venue's own rate and interval stand beside it.
 */
export function fundingOf(
  venueFundingRate: string,
  intervalHours: number,
): Pick<ContextEvent, 'fundingRate' | 'venueFundingRate' | 'fundingIntervalHours'> {
  if (intervalHours === 1) return { fundingRate: venueFundingRate };
  return {
    fundingRate: divideDecimals(venueFundingRate, String(intervalHours), RATE_DECIMALS),
    venueFundingRate,
    fundingIntervalHours: intervalHours,
  };
}
