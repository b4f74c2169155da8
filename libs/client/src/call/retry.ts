import { ProblemError, TransportError } from '../errors';

const ATTEMPTS_MAX = 3;
/** The first wait is at most this long, each later one twice as long as the one before. */
const FIRST_WAIT_MS_MAX = 250;
/** A service that asks for a longer wait is not asked again. */
const RETRY_AFTER_MS_MAX = 30_000;

const PASSING: ReadonlySet<number> = new Set([429, 503, 504]);

/**
 * How long to wait before a call is sent again, milliseconds: full jitter, at least what the service asks for; null when it must not be.
 * @param attempts times that it was sent
 * @param random from 0 to 1
 */
export function waitBefore(error: unknown, attempts: number, isRepeatable: boolean, random: () => number): number | null {
  if (!isRepeatable || attempts >= ATTEMPTS_MAX) return null;
  const wait = waitMs(attempts, random);
  if (error instanceof TransportError) return wait;
  if (!(error instanceof ProblemError) || !PASSING.has(error.status)) return null;
  const asked = error.retryAfterMs ?? 0;
  return asked > RETRY_AFTER_MS_MAX ? null : Math.max(asked, wait);
}

/** Full jitter: anything from 0 to a bound that doubles, at most 30 s. */
export function waitMs(failures: number, random: () => number): number {
  return random() * Math.min(RETRY_AFTER_MS_MAX, FIRST_WAIT_MS_MAX * 2 ** (failures - 1));
}
