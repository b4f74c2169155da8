import type { Fault } from '@market-state/errors';

/** A whole number from `min` to `max`, both allowed. */
export function rangeFaults(field: string, value: number, min: number, max: number): Fault[] {
  if (Number.isInteger(value) && value >= min && value <= max) return [];
  return [{ field, message: `must be between ${min} and ${max}`, type: 'out_of_range' }];
}
