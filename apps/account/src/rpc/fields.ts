import type { Fault } from '@market-state/errors';

/** The end of the year 9999. */
const TS_MS_MAX = 253_402_300_799_999;

/** Code points of a text, which is what bounds of lengths count. */
export function lengthOf(text: string): number {
  return [...text].length;
}

/** A name that people read: 1 to 100 characters, none of them a control character. */
export function nameFaults(field: string, name: string): Fault[] {
  const length = lengthOf(name);
  if (length >= 1 && length <= 100 && !/\p{Cc}/u.test(name)) return [];
  return [{ field, message: 'must be 1 to 100 characters, none of them a control character', type: 'out_of_range' }];
}

/** The end of something: 0 for none, else a time to come. */
export function endFaults(field: string, tsMs: number, nowMs: number): Fault[] {
  if (tsMs === 0 || (tsMs > nowMs && tsMs <= TS_MS_MAX)) return [];
  return [{ field, message: 'must be 0 or lie in the future', type: 'out_of_range' }];
}

export function lengthFaults(field: string, text: string, min: number, max: number): Fault[] {
  const length = lengthOf(text);
  if (length >= min && length <= max) return [];
  return [{ field, message: `must be ${min} to ${max} characters`, type: length < min ? 'too_short' : 'too_long' }];
}
