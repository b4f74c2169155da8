/** RFC 3339 in UTC with milliseconds. */
export function toUtc(instantMs: number): string {
  return new Date(instantMs).toISOString();
}

/** As `toUtc`; null for 0, which the contracts between services use for "never". */
export function toUtcOrNull(instantMs: number): string | null {
  return instantMs === 0 ? null : toUtc(instantMs);
}
