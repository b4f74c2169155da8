import { divideDecimals } from './decimal';
import type { ContextEvent } from './event';

const RATE_DECIMALS = 12;

/**
 * Hourly rates stay as sent; others are divided, rounded half-even to 12 decimals, and stored with the original rate
 * and interval. Without an interval, only the original rate is stored.
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

/** Undefined if unknown or without a rate. */
export function fundingHoursOf({ fundingRate, venueFundingRate, fundingIntervalHours }: ContextEvent): number | undefined {
  return fundingRate !== undefined && venueFundingRate === undefined ? 1 : fundingIntervalHours;
}
