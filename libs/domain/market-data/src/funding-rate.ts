import { divideDecimals } from './decimal';
import type { ContextEvent } from './event';

/** Decimals of a rate an hour that is a quotient. */
const RATE_DECIMALS = 12;

/**
 * The funding of a context entry from what one payment costs (a decimal as sent) and the whole hours between payments. Where they
 * are an hour apart, the rate is the venue's to the last digit. Else it is the quotient, rounded half-even to 12 decimals, next to the
 * venue's own rate and the interval. Where the interval is unknown, the venue's own rate is all that is known.
 */
export function fundingOf(
  venueFundingRate: string,
  intervalHours: number | undefined,
): Pick<ContextEvent, 'fundingRate' | 'venueFundingRate' | 'fundingIntervalHours'> {
  if (intervalHours === undefined) return { venueFundingRate };
  if (intervalHours === 1) return { fundingRate: venueFundingRate };
  return {
    fundingRate: divideDecimals(venueFundingRate, String(intervalHours), RATE_DECIMALS),
    venueFundingRate,
    fundingIntervalHours: intervalHours,
  };
}

/** Whole hours between the payments that the rate of a context is of; undefined where they are unknown, or there is no rate. */
export function fundingHoursOf({ fundingRate, venueFundingRate, fundingIntervalHours }: ContextEvent): number | undefined {
  return fundingRate !== undefined && venueFundingRate === undefined ? 1 : fundingIntervalHours;
}
