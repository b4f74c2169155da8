import { delay } from '@market-state/lifecycle';

/** A clock that can be waited on. */
export interface Timer {
  /** Milliseconds from some instant on; never falls. */
  nowMs(): number;
  /** Resolves after so many milliseconds, or when the signal aborts. */
  sleep(durationMs: number, signal: AbortSignal): Promise<void>;
}

export const processTimer: Timer = {
  nowMs: () => performance.now(),
  sleep: (durationMs, signal) => delay(durationMs, signal).catch(() => undefined),
};
