import type { account } from '@market-state/contracts';
import type { Fault } from '@market-state/errors';
import type { CeilingStatus } from '../credits/limits';

const CREDITS_MAX = 1_000_000_000;
const WINDOW_SECONDS_MIN = 60;
/** 31 days. */
const WINDOW_SECONDS_MAX = 2_678_400;

export function ceilingFaults(field: string, ceiling: account.CreditCeiling | undefined): Fault[] {
  if (ceiling === undefined) return [];
  const within = (name: string, value: number, min: number, max: number): Fault[] =>
    value >= min && value <= max ? [] : [{ field: `${field}.${name}`, message: `must be ${min} to ${max}`, type: 'out_of_range' }];
  return [
    ...within('credits', ceiling.credits, 1, CREDITS_MAX),
    ...within('window_seconds', ceiling.windowSeconds, WINDOW_SECONDS_MIN, WINDOW_SECONDS_MAX),
  ];
}

export function toProtoCeiling(standing: CeilingStatus | null): account.CeilingStanding | undefined {
  if (standing === null) return undefined;
  const { credits, windowSeconds, spent, available, resetsMs } = standing;
  return { ceiling: { credits, windowSeconds }, spent, available, resetsTsMs: resetsMs };
}
