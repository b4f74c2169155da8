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

/** A live feed follows a wall clock that is further ahead than this at once: else the venue's times would be refused. */
const liveLeapMs = 2_000;

/** The wall clock, made steady. */
export function createSystemClock(): Clock {
  return clockOf(createFeedClock(readings));
}

/** The same for a live feed: a wall clock that leaps ahead, as after the machine has slept, is followed. */
export function createLiveClock(): Clock {
  return clockOf(createFeedClock(readings, liveLeapMs));
}

const readings = { wallMs: () => Date.now(), monotonicMs: () => performance.now() };

function clockOf(nowMs: () => number): Clock {
  return {
    nowMs,
    async waitUntil(momentMs, signal) {
      for (let leftMs = momentMs - nowMs(); leftMs > 0; leftMs = momentMs - nowMs()) {
        await delay(Math.min(leftMs, delayMsMax), signal);
      }
    },
  };
}
