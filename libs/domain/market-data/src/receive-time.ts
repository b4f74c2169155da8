const FORM = /^(\d{4}-\d\d-\d\d)(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d)(?:(:[0-5]\d)(?:\.(\d{1,12}))?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/i;

/** Epoch milliseconds, rounded down, of an ISO 8601 date or time; UTC without a zone. Undefined if invalid. */
export function parseUtcInstant(text: string): number | undefined {
  const [, day = '', time = '00:00', seconds = ':00', fraction = '', zone = 'Z'] = FORM.exec(text) ?? [];
  const dayMs = Date.parse(`${day}T00:00Z`);
  // `Date.parse` accepts 30 February as 1 March.
  if (Number.isNaN(dayMs) || !new Date(dayMs).toISOString().startsWith(day)) return undefined;
  return Date.parse(`${day}T${time}${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}${zone.toUpperCase()}`);
}

const SECONDS = /^([0-9]{9,10})(?:\.([0-9]{1,12}))?$/;

/** Truncates digit by digit to avoid double rounding. */
export function secondsToMs(text: string): number | undefined {
  const match = SECONDS.exec(text);
  if (match === null) return undefined;
  const [, seconds = '', fraction = ''] = match;
  return Number(seconds) * 1_000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
}
