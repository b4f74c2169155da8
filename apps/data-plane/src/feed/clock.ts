import { delay } from '@market-state/lifecycle';

interface ClockReadings {
  /** Since the epoch; can jump. */
  wallMs(): number;
  monotonicMs(): number;
}

/** 1 ms in 100 ms. */
const slewShare = 0.01;

/**
 * Starts at the wall clock, advances with the monotonic clock and is corrected by at most 1 ms in 100 ms, so it never
 * goes backwards.
 * @param leapMs jump to the wall clock if it is further ahead, as after a suspend; default: never
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

export interface Clock {
  nowMs(): number;
  /** Rejects with the signal's reason on abort. */
  waitUntil(momentMs: number, signal: AbortSignal): Promise<void>;
}

/** Cap below the 32-bit limit of timers. */
const delayMsMax = 60_000;

/** Without the jump, a live feed would reject the venue's times as future. */
const liveLeapMs = 2_000;

export function createSystemClock(): Clock {
  return clockOf(createFeedClock(readings));
}

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
