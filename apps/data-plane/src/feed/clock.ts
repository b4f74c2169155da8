import { delay } from '@market-state/lifecycle';

/** The two clocks that a feed clock is made of, milliseconds. */
interface ClockReadings {
  /** Since the epoch; may jump. */
  wallMs(): number;
  /** Since any fixed moment; never jumps. */
  monotonicMs(): number;
}

/** Of a second that has passed, the share by which the feed clock may differ from it: 1 ms in 100 ms. */
const slewShare = 0.01;

/**
 * The feed clock: the wall clock at the first reading, carried on by the monotonic clock and drawn towards the wall clock by
 * at most 1 ms in 100 ms. It never goes backwards, whatever is done to the wall clock.
 * @param leapMs a wall clock further ahead than this is followed at once, as after a machine has slept; by default never
 * @returns a function that reads it, whole milliseconds since the epoch
 */
export function createFeedClock({ wallMs, monotonicMs }: ClockReadings, leapMs = Infinity): () => number {
  let clockMs = wallMs();
  let readAtMs = monotonicMs();
  return () => {
    const nowMs = monotonicMs();
    const elapsedMs = nowMs - readAtMs;
    readAtMs = nowMs;
    const carriedMs = clockMs + elapsedMs;
    const aheadMs = wallMs() - carriedMs;
    const drawMs = elapsedMs * slewShare;
    clockMs = aheadMs > leapMs ? carriedMs + aheadMs : carriedMs + Math.max(-drawMs, Math.min(drawMs, aheadMs));
    return Math.floor(clockMs);
  };
}

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
