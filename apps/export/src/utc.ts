export function utc(ms: number): string {
  return new Date(ms).toISOString();
}

/** Null for null and 0. */
export function utcOrNull(ms: number | null): string | null {
  return ms === null || ms === 0 ? null : utc(ms);
}

export function dateOf(dayMs: number): string {
  return utc(dayMs).slice(0, 10);
}
