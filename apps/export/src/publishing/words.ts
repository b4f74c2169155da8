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

/** Meaning of the bits of a row's `flags`. */
export const FLAG_MEANINGS = {
  1: 'snapshot: first book after the feed connected, a pass began or the book was whole again',
  2: 'late: it came when the window of its exchange time was closed',
  4: 'clock_skew: exchange time and receive time are more than 2 s apart',
  8: 'after_gap: first row of its channel after a gap',
  16: 'synthetic: of a simulated venue',
  64: 'venue_clock_ahead: received before its own exchange time',
} as const;

/** What exported data is, and is not. */
export const CLAIM_BOUNDARY = 'not_signal_not_advice_not_execution_not_performance';
