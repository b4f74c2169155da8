import { parseUtcInstant } from '@market-state/market-data';

/** RFC 3339 in UTC with milliseconds. */
export function toUtc(instantMs: number): string {
  return new Date(instantMs).toISOString();
}

/** As `toUtc`; null for 0, which the contracts between services use for "never". */
export function toUtcOrNull(instantMs: number): string | null {
  return instantMs === 0 ? null : toUtc(instantMs);
}

/** RFC 3339 with a zone, second or sub-second precision. */
const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/** Latest instant accepted, milliseconds: the end of year 9999. */
const LATEST_MS = 253_402_300_799_999;

/**
 * Milliseconds since the epoch named by RFC 3339 text or by a whole number of milliseconds; null when the text is neither.
 * Precision below a millisecond is cut off.
 */
export function parseInstant(text: string): number | null {
  if (/^\d{1,15}$/.test(text)) {
    const instantMs = Number(text);
    return instantMs <= LATEST_MS ? instantMs : null;
  }
  const instantMs = RFC_3339.test(text) ? parseUtcInstant(text) : undefined;
  return instantMs === undefined || instantMs < 0 ? null : instantMs;
}

/** Whether text is an instant or empty: the format `instant-or-empty` of the document. */
export function isInstantOrEmpty(text: string): boolean {
  return text === '' || parseInstant(text) !== null;
}

const UNITS = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
] as const;

/** A length of time in the largest unit that it is a whole number of: `31 days`, `1 hour`, `90 seconds`. @param ms whole seconds */
export function inPeoplesUnits(ms: number): string {
  const [unitMs, name] = UNITS.find(([lengthMs]) => ms >= lengthMs && ms % lengthMs === 0) ?? [1_000, 'second'];
  const total = ms / unitMs;
  return `${total} ${name}${total === 1 ? '' : 's'}`;
}
