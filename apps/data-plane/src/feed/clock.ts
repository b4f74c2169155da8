import { delay } from '@market-state/lifecycle';
import { createFeedClock } from './feed-clock';

/** The clock that a feed is paced by, milliseconds since the epoch. */
export interface Clock {
  nowMs(): number;
  /** Resolves once `nowMs()` has reached a moment; rejects with the signal's reason when that aborts first. */
  waitUntil(momentMs: number, signal: AbortSignal): Promise<void>;
}

/** Timers don't take longer delays. */
const delayMsMax = 60_000;

/** The wall clock, made steady. */
export function createSystemClock(): Clock {
  const nowMs = createFeedClock({ wallMs: () => Date.now(), monotonicMs: () => performance.now() });
  return {
    nowMs,
    async waitUntil(momentMs, signal) {
      for (let leftMs = momentMs - nowMs(); leftMs > 0; leftMs = momentMs - nowMs()) {
        await delay(Math.min(leftMs, delayMsMax), signal);
      }
    },
  };
}
