/** RFC 3339 UTC with milliseconds. */
export function utc(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
