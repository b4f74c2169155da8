const FORM =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,12}))?)?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))?)?$/;

/**
 * Milliseconds since 1970 of an ISO 8601 date (`2024-02-29`) or time (`2024-02-29T23:55:00.5Z`, `2024-02-29 23:55+01:00`), floored;
 * without a zone it is UTC. Undefined for other text and for what no calendar or clock shows: 30 February, 24:00, a second 60.
 */
export function parseUtcInstant(text: string): number | undefined {
  const match = FORM.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map((digits) => Number(digits ?? 0));
  const [, , , , , , , fraction = '', sign, zoneHours, zoneMinutes] = match;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const zoneMs = sign === undefined ? 0 : (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === '+' ? 60_000 : -60_000);
  const ofDayMs = ((hour * 60 + minute) * 60 + second) * 1_000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
  return date.getTime() + ofDayMs - zoneMs;
}
