import { secondsToMs } from '../receive-time';
import { parseUtcInstant } from '../utc-instant';
import type { TimeUnit } from './columns';

/** Digits of a time from 2001 to 2286 that is a whole number of its unit. */
const DIGITS = { ms: 13, us: 16, ns: 19 } as const;
const UTC = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|\+00:00)?$/;

/** How a time of the unit is written, for those who must be told. */
export const TIME_FORMS: Readonly<Record<TimeUnit, string>> = {
  s: 'seconds since 1970, as 1723161256.172',
  ms: 'milliseconds since 1970, as 1723161256172',
  us: 'microseconds since 1970, as 1723161256172000',
  ns: 'nanoseconds since 1970, as 1723161256172000000',
  utc: 'a time in UTC, as 2024-08-08T23:54:16.172Z',
};

/** Milliseconds since 1970, floored; undefined for text that is no time of the unit. */
export function timeOfCell(text: string, unit: TimeUnit): number | undefined {
  if (unit === 's') return /^\d{10}(?:\.|$)/.test(text) ? secondsToMs(text) : undefined;
  if (unit === 'utc') return UTC.test(text) ? parseUtcInstant(text) : undefined;
  const [whole = '', fraction] = text.split('.');
  if (whole.length !== DIGITS[unit] || !/^\d+$/.test(whole) || (fraction !== undefined && !/^\d{1,9}$/.test(fraction))) return undefined;
  return Number(whole.slice(0, DIGITS.ms));
}
