/** What draws by itself does so at most so often where motion is to be reduced, milliseconds. */
const REDUCED_MS = 1_000;

/** How often something that draws by itself may, milliseconds: once a second at most where the reader wants less motion. */
export function drawEveryMs(usualMs: number): number {
  return matchMedia('(prefers-reduced-motion: reduce)').matches ? Math.max(REDUCED_MS, usualMs) : usualMs;
}
