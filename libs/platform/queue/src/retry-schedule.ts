import { backoffMs } from '@market-state/lifecycle';

export type RetrySchedule =
  | {
      readonly attempts: number;
      readonly minMs: number;
      readonly maxMs: number;
    }
  | {
      /** After each attempt except the last. */
      readonly delaysMs: readonly number[];
      /** Relative, 0..1. */
      readonly jitter: number;
    };

/**
 * Delay in milliseconds before the next attempt; undefined after the last. Uniform between `minMs` and `minMs` ×
 * 2^(failures + 1), capped at `maxMs`, or the listed delay ± `jitter`.
 * @param failures failed attempts so far, from 0
 * @param random uniform in [0, 1); injected by tests
 */
export function retryDelayMs(schedule: RetrySchedule, failures: number, random: () => number = Math.random): number | undefined {
  if (failures >= attemptsOf(schedule) - 1) return undefined;
  if (!('delaysMs' in schedule)) return backoffMs(failures, { ...schedule, random });
  const { delaysMs, jitter } = schedule;
  return Math.round((delaysMs[failures] ?? 0) * (1 - jitter + 2 * jitter * random()));
}

export function attemptsOf(schedule: RetrySchedule): number {
  return 'delaysMs' in schedule ? schedule.delaysMs.length + 1 : schedule.attempts;
}

/**
 * Thrown by a job handler: the attempt failed and was logged; the next follows after `delayMs`, or by the queue's
 * schedule.
 */
export class RetryError extends Error {
  override readonly name = 'RetryError';

  constructor(
    readonly delayMs: number | undefined,
    options: ErrorOptions = {},
  ) {
    super(delayMs === undefined ? 'will be retried' : `will be retried in ${delayMs} ms`, options);
  }
}
