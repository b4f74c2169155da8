import { setTimeout as delay } from 'node:timers/promises';

const pollMsMin = 10;
const pollMsMax = 100;
/** Long waits poll less often, because polling slows down the work in progress. */
const pollShare = 0.1;

/** The interval may depend on the time already taken. */
export interface Patience {
  readonly limitMs: number;
  readonly everyMs: number | ((takenAtMs: number) => number);
}

/** Polls at least once; errors of the condition are thrown. @returns false if the limit passed first */
export async function comesTrue(condition: () => Promise<boolean> | boolean, { limitMs, everyMs }: Patience): Promise<boolean> {
  const startedAt = performance.now();
  while (!(await condition())) {
    const takenAtMs = performance.now() - startedAt;
    if (takenAtMs >= limitMs) return false;
    await delay(typeof everyMs === 'number' ? everyMs : everyMs(takenAtMs));
  }
  return true;
}

/**
 * Resolves with the first truthy value of `condition`; an error counts as "not yet".
 * @param what ends the sentence "Not seen: …"
 * @param deadlineMs ends hung tests; not a bound on busy machines
 * @throws Error with the condition's last error as its cause
 */
export async function waitUntil<T>(
  what: string,
  condition: () => Promise<T | undefined | false> | T | undefined | false,
  deadlineMs = 240_000,
): Promise<T> {
  let seen: T | undefined | false;
  let cause: unknown;
  async function isSeen(): Promise<boolean> {
    try {
      seen = await condition();
      cause = undefined;
    } catch (error) {
      cause = error;
      return false;
    }
    return Boolean(seen);
  }
  if (await comesTrue(isSeen, { limitMs: deadlineMs, everyMs: pauseAfter })) return seen as T;
  throw new Error(`Not seen: ${what}`, { cause });
}

function pauseAfter(takenAtMs: number): number {
  return Math.min(pollMsMax, Math.max(pollMsMin, pollShare * takenAtMs));
}
