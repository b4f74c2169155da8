import { parseUtcInstant } from '@market-state/market-data';

export function toUtc(instantMs: number): string {
  return new Date(instantMs).toISOString();
}

/** Null for 0, which means "never" between services. */
export function toUtcOrNull(instantMs: number): string | null {
  return instantMs === 0 ? null : toUtc(instantMs);
}

/** Between services, an absent text is empty. */
export function textOrNull(text: string): string | null {
  return text === '' ? null : text;
}

const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;

const LATEST_MS = 253_402_300_799_999;

/** RFC 3339 or whole milliseconds; null if neither. Truncates below a millisecond. */
export function parseInstant(text: string): number | null {
  if (/^\d{1,15}$/.test(text)) {
    const instantMs = Number(text);
    return instantMs <= LATEST_MS ? instantMs : null;
  }
  const instantMs = RFC_3339.test(text) ? parseUtcInstant(text) : undefined;
  return instantMs === undefined || instantMs < 0 ? null : instantMs;
}

export function isInstantOrEmpty(text: string): boolean {
  return text === '' || parseInstant(text) !== null;
}

const UNITS = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
] as const;

/** Largest exact unit: `31 days`, `1 hour`, `90 seconds`. @param ms whole seconds */
export function inPeoplesUnits(ms: number): string {
  const [unitMs, name] = UNITS.find(([lengthMs]) => ms >= lengthMs && ms % lengthMs === 0) ?? [1_000, 'second'];
  const total = ms / unitMs;
  return `${total} ${name}${total === 1 ? '' : 's'}`;
}
