import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 10;

/** How long to look, and how often. */
export interface Patience {
  readonly limitMs: number;
  readonly everyMs: number;
}

/** Whether the condition held before the limit was over. It is looked at once at least, and its errors are thrown. */
export async function comesTrue(condition: () => Promise<boolean> | boolean, { limitMs, everyMs }: Patience): Promise<boolean> {
  const endsAt = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() >= endsAt) return false;
    await delay(everyMs);
  }
  return true;
}

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
    return seen !== undefined && seen !== false;
  }
  if (await comesTrue(isSeen, { limitMs: deadlineMs, everyMs: pollMs })) return seen as T;
  throw new Error(`Not seen: ${what}`, { cause });
}
