import { retryDelayMs, type RetrySchedule } from '@market-state/queue';
import { z } from 'zod';

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
 * Milliseconds; undefined after the tenth attempt. The planned wait ± 20 %, or `Retry-After` clamped to 1 to 2 times
 * the planned wait; at least 60 s after 429, 502, 504 and timeouts.
 */
export function waitAfter({ step, status, outcome, retryAfterMs, random }: Failure): number | undefined {
  const [planned, delayMs] = [WAITS_MS[step], retryDelayMs(SCHEDULE, step, () => random)];
  if (planned === undefined || delayMs === undefined) return undefined;
  const wait = retryAfterMs === undefined ? delayMs : Math.min(Math.max(retryAfterMs, planned), 2 * planned);
  const isOverloaded = OVERLOADED.has(status) || outcome === 'timeout';
  return Math.round(isOverloaded ? Math.max(wait, OVERLOADED_WAIT_MS) : wait);
}

const SLICE_MS = 30_000;
const SPAN_MS = 300_000;
const ATTEMPTS_MIN = 10;
const FAILED_SHARE = 0.7;
const OPEN_MS = 30_000;

const slice = z.object({ fromMs: z.number(), ok: z.int(), failed: z.int() });

/** Circuit breaker of an endpoint: attempts of the last five minutes in slices of 30 s. */
export const breakerShape = z.object({ slices: z.array(slice).default([]), untilMs: z.number().default(0) });

/** `untilMs`: no attempt before this time, then a single probe; 0: closed. */
export type Breaker = z.output<typeof breakerShape>;

type BreakerPosition = 'closed' | 'open' | 'probe';

export function positionOf({ untilMs }: Pick<Breaker, 'untilMs'>, nowMs: number): BreakerPosition {
  if (untilMs === 0) return 'closed';
  return nowMs < untilMs ? 'open' : 'probe';
}

/** Makes no attempt before a time at which a destination accepts messages again. */
export function paused({ slices }: Breaker, untilMs: number): Breaker {
  return { slices, untilMs };
}

interface Seen {
  readonly startedMs: number;
  readonly nowMs: number;
  readonly isOk: boolean;
}

/**
 * Opens for 30 s if 70 % of at least 10 attempts in 5 minutes failed. The first attempt started after that closes or
 * reopens it.
 */
export function afterAttempt(breaker: Breaker, { startedMs, nowMs, isOk }: Seen): Breaker {
  if (breaker.untilMs > 0) {
    if (startedMs < breaker.untilMs) return breaker;
    return isOk ? { slices: [], untilMs: 0 } : { slices: breaker.slices, untilMs: nowMs + OPEN_MS };
  }
  const fromMs = nowMs - (nowMs % SLICE_MS);
  const kept = breaker.slices.filter((entry) => entry.fromMs > nowMs - SPAN_MS && entry.fromMs !== fromMs);
  const now = breaker.slices.find((entry) => entry.fromMs === fromMs) ?? { fromMs, ok: 0, failed: 0 };
  const slices = [...kept, { fromMs, ok: now.ok + (isOk ? 1 : 0), failed: now.failed + (isOk ? 0 : 1) }];
  const failed = slices.reduce((total, entry) => total + entry.failed, 0);
  const total = failed + slices.reduce((sum, entry) => sum + entry.ok, 0);
  const opens = total >= ATTEMPTS_MIN && failed >= FAILED_SHARE * total;
  return opens ? { slices: [], untilMs: nowMs + OPEN_MS } : { slices, untilMs: 0 };
}
