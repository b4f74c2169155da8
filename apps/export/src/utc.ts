/** The instant as RFC 3339 text with milliseconds. */
export function utc(ms: number): string {
  return new Date(ms).toISOString();
}

/** The same, null where there is none. */
export function utcOrNull(ms: number | null): string | null {
  return ms === null || ms === 0 ? null : utc(ms);
}

/** The day as `2026-01-31`. */
export function dateOf(dayMs: number): string {
  return utc(dayMs).slice(0, 10);
}
