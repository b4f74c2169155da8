import { ProblemError, TransportError } from '../errors';

const ATTEMPTS_MAX = 3;
/** Maximum first wait; each later one doubles. */
const FIRST_WAIT_MS_MAX = 250;
/** Calls are not retried if the service asks for a longer wait. */
const RETRY_AFTER_MS_MAX = 30_000;

const PASSING: ReadonlySet<number> = new Set([429, 503, 504]);

/**
 * Milliseconds with full jitter, at least what the service asks for; null if the call must not be retried.
 * @param attempts times sent so far
 * @param random from 0 to 1
 */
export function waitBefore(error: unknown, attempts: number, isRepeatable: boolean, random: () => number): number | null {
  if (!isRepeatable || attempts >= ATTEMPTS_MAX) return null;
  const wait = waitMs(attempts, random);
  if (error instanceof TransportError) return wait;
  if (!(error instanceof ProblemError) || !PASSING.has(error.status)) return null;
  const retryAfterMs = error.retryAfterMs ?? 0;
  return retryAfterMs > RETRY_AFTER_MS_MAX ? null : Math.max(retryAfterMs, wait);
}

/** Full jitter: from 0 to a bound that doubles, at most 30 s. */
export function waitMs(failures: number, random: () => number): number {
  return random() * Math.min(RETRY_AFTER_MS_MAX, FIRST_WAIT_MS_MAX * 2 ** (failures - 1));
}
