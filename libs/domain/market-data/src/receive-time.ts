import { parseUtcInstant } from './utc-instant';

const ISO = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3,9}$/;
const SECONDS = /^([0-9]{9,10})(?:\.([0-9]{1,12}))?$/;

/** Milliseconds of a UTC time without zone, `2024-01-01T12:00:01.138942031`, floored; undefined for other text. */
export function isoToMs(text: unknown): number | undefined {
  return typeof text === 'string' && ISO.test(text) ? parseUtcInstant(text) : undefined;
}

/** Milliseconds of decimal seconds, `1786310819.5264041`, floored on the digits, not on a double; undefined for other text. */
export function secondsToMs(text: string): number | undefined {
  const match = SECONDS.exec(text);
  if (match === null) return undefined;
  const [, seconds = '', fraction = ''] = match;
  return Number(seconds) * 1_000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
}
