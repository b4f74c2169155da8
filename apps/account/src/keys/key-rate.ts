import type { Fault } from '@market-state/errors';
import { callsPerMinuteMax } from '@market-state/pricing';

/** A limit on the calls of a key, beside that of its tenant's plan. */
export interface KeyRate {
  readonly callsPerMinute: number;
  /** Id of the key that it was set for: that one and those that rotation made of it are counted together. */
  readonly keyId: string;
}

/**
 * What is wrong with a limit that is to be set: it is 1 or more, and no more than the plan allows. An absent one has no fault.
 * @param planId of the tenant; null: none, and no limit of it
 */
export function rateFaults(callsPerMinute: number | undefined, planId: string | null): Fault[] {
  if (callsPerMinute === undefined) return [];
  const most = callsPerMinuteMax(planId ?? '') ?? Number.MAX_SAFE_INTEGER;
  if (callsPerMinute >= 1 && callsPerMinute <= most) return [];
  const bounds = planId === null ? 'must be 1 or more' : `must be 1 to ${most}, which is what the plan ${planId} allows`;
  return [{ field: 'calls_per_minute', message: bounds, type: 'out_of_range' }];
}
