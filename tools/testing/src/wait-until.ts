import { setTimeout as delay } from 'node:timers/promises';

const pollMsMin = 10;
const pollMsMax = 100;
/** What is waited for long is looked at less often: looking takes time from what it waits for. */
const pollShare = 0.1;

/** How long to look, and how often: a number, or what follows from the time that it has taken so far. */
export interface Patience {
  readonly limitMs: number;
  readonly everyMs: number | ((takenMs: number) => number);
}

/** Whether the condition held before the limit was over. It is looked at once at least, and its errors are thrown. */
export async function comesTrue(condition: () => Promise<boolean> | boolean, { limitMs, everyMs }: Patience): Promise<boolean> {
  const startedAt = performance.now();
  while (!(await condition())) {
    const takenMs = performance.now() - startedAt;
    if (takenMs >= limitMs) return false;
    await delay(typeof everyMs === 'number' ? everyMs : everyMs(takenMs));
  }
  return true;
}

/**
 * Resolves with the first value of `condition` that counts as true: no row, no text and 0 do not. An error of the condition counts as
 * "not yet". It is looked at every 10 ms at first, and every 100 ms once a second has passed.
 * @param what ends the sentence "Not seen: …"
 * @param deadlineMs how long to try; by default 240,000, which ends a test that hangs and is no bound on how long a busy machine may take
 * @throws Error naming `what`, with the condition's last error as its cause
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

function pauseAfter(takenMs: number): number {
  return Math.min(pollMsMax, Math.max(pollMsMin, pollShare * takenMs));
}
