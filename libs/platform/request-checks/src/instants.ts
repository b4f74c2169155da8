import type { Fault } from '@market-state/errors';

/** The last millisecond of the year 9999, the latest instant that RFC 3339 can write. */
export const INSTANT_MS_MAX = 253_402_300_799_999;

/** An instant of a request, in milliseconds since the epoch, and its field. */
export type InstantField = readonly [field: string, ms: number];

/** An instant, milliseconds since the epoch, up to the end of the year 9999. Where a field may be absent, 0 is that. */
export function instantFaults(field: string, ms: number): Fault[] {
  if (Number.isInteger(ms) && ms >= 0 && ms <= INSTANT_MS_MAX) return [];
  return [{ field, message: 'must lie between the epoch and the end of the year 9999', type: 'out_of_range' }];
}

/** The end of something: 0 for none, else an instant after now. */
export function laterInstantFaults(field: string, ms: number, nowMs: number): Fault[] {
  if (ms === 0 || (ms > nowMs && instantFaults(field, ms).length === 0)) return [];
  return [{ field, message: 'must be 0 or lie in the future', type: 'out_of_range' }];
}

/** Both ends of a span, each 0 where it is not bounded; where both are given, the second lies after the first. */
export function optionalSpanFaults([fromField, fromMs]: InstantField, [toField, toMs]: InstantField): Fault[] {
  const faults = [...instantFaults(fromField, fromMs), ...instantFaults(toField, toMs)];
  if (faults.length > 0 || fromMs === 0 || toMs === 0 || toMs > fromMs) return faults;
  return [{ field: toField, message: `must lie after ${fromField}`, type: 'out_of_range' }];
}
