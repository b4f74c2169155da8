import { retryDelayMs, type RetrySchedule } from '@market-state/queue';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

const WAITS_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
const SCHEDULE: RetrySchedule = { delaysMs: WAITS_MS, jitter: 0.2 };
/** Minimum wait for overloaded receivers and their gateways. */
const OVERLOADED_WAIT_MS = MINUTE_MS;
const OVERLOADED: ReadonlySet<number> = new Set([429, 502, 504]);

export interface Failure {
  readonly step: number;
  readonly status: number;
  readonly outcome: string;
  readonly retryAfterMs: number | undefined;
  readonly random: number;
}

/**
 * Wait in milliseconds; undefined after the tenth attempt. The planned wait ± 20 %, or `Retry-After` clamped to 1 to 2
 * times the planned wait; at least 60 s after 429, 502, 504 and timeouts.
 */
export function waitAfter({ step, status, outcome, retryAfterMs, random }: Failure): number | undefined {
  const [planned, delayMs] = [WAITS_MS[step], retryDelayMs(SCHEDULE, step, () => random)];
  if (planned === undefined || delayMs === undefined) return undefined;
  const wait = retryAfterMs === undefined ? delayMs : Math.min(Math.max(retryAfterMs, planned), 2 * planned);
  const isOverloaded = OVERLOADED.has(status) || outcome === 'timeout';
  return Math.round(isOverloaded ? Math.max(wait, OVERLOADED_WAIT_MS) : wait);
}
