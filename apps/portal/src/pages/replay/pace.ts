/** Multiples of the recorded pace. */
export const SPEEDS = ['1', '2', '5', '10', '20', '50', '100'] as const;

/** Time between two frames that is counted at most, milliseconds: a page that was hidden does not leap when it is shown again. */
const FRAME_MAX_MS = 1_500;

/** Where a cursor is after some time of the reader's, by exchange time; it waits at the end of what is read. */
export function advance(atMs: number, elapsedMs: number, speed: number, readableToMs: number): number {
  const nextMs = atMs + Math.min(FRAME_MAX_MS, Math.max(0, elapsedMs)) * speed;
  return Math.max(atMs, Math.min(nextMs, readableToMs));
}
