import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 10;

/**
 * Resolves with the first value of `condition` that is neither undefined nor false. An error of the condition counts as
 * "not yet".
 * @param what ends the sentence "Not seen: …"
 * @param deadlineMs how long to try; 10,000 by default
 * @throws Error naming `what`, with the condition's last error as its cause
 */
export async function waitUntil<T>(
  what: string,
  condition: () => Promise<T | undefined | false> | T | undefined | false,
  deadlineMs = 10_000,
): Promise<T> {
  const endsAt = performance.now() + deadlineMs;
  let cause: unknown;
  do {
    try {
      const value = await condition();
      if (value !== undefined && value !== false) return value;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    await delay(pollMs);
  } while (performance.now() < endsAt);
  throw new Error(`Not seen: ${what}`, { cause });
}
