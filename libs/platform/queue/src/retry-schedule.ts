import { backoffMs } from '@market-state/lifecycle';

/** Delays between the attempts of a piece of work: growing between two bounds, or a list. */
export type RetrySchedule =
  | {
      /** Attempts in all. */
      readonly attempts: number;
      /** Shortest and longest delay, milliseconds. */
      readonly minMs: number;
      readonly maxMs: number;
    }
  | {
      /** Delay after each attempt but the last, milliseconds. */
      readonly delaysMs: readonly number[];
      /** Share by which a delay may be shorter or longer, 0..1. */
      readonly jitter: number;
    };

/**
 * Delay before the next attempt, milliseconds; undefined after the last. It is uniform between `minMs` and `minMs` × 2^(failures + 1), at
 * most `maxMs`, or the listed delay ± `jitter`.
 * @param failures attempts that failed before this one, from 0
 * @param random uniform in [0, 1); injected by tests
 */
export function retryDelayMs(schedule: RetrySchedule, failures: number, random: () => number = Math.random): number | undefined {
  if (failures >= attemptsOf(schedule) - 1) return undefined;
  if (!('delaysMs' in schedule)) return backoffMs(failures, { ...schedule, random });
  const { delaysMs, jitter } = schedule;
  return Math.round((delaysMs[failures] ?? 0) * (1 - jitter + 2 * jitter * random()));
}

/** Attempts of a schedule in all. */
export function attemptsOf(schedule: RetrySchedule): number {
  return 'delaysMs' in schedule ? schedule.delaysMs.length + 1 : schedule.attempts;
}

/** Thrown by the handler of a job: the attempt failed, was logged, and the next follows after `delayMs`, or by the queue's schedule. */
export class RetryError extends Error {
  override readonly name = 'RetryError';

  constructor(
    readonly delayMs: number | undefined,
    options: ErrorOptions = {},
  ) {
    super(delayMs === undefined ? 'to be tried again' : `to be tried again in ${delayMs} ms`, options);
  }
}
