import { z } from 'zod';

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

export type BreakerPosition = 'closed' | 'open' | 'probe';

export function positionOf({ untilMs }: Pick<Breaker, 'untilMs'>, nowMs: number): BreakerPosition {
  if (untilMs === 0) return 'closed';
  return nowMs < untilMs ? 'open' : 'probe';
}

/** Makes no attempt before a time at which a destination accepts messages again. */
export function paused({ slices }: Breaker, untilMs: number): Breaker {
  return { slices, untilMs };
}

export interface Seen {
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
