const REDUCED_MS = 1_000;

/** Limits self-updating drawings to once a second if the user prefers reduced motion. */
export function drawEveryMs(usualMs: number): number {
  return matchMedia('(prefers-reduced-motion: reduce)').matches ? Math.max(REDUCED_MS, usualMs) : usualMs;
}
