/** The two clocks that a feed clock is made of, milliseconds. */
export interface ClockReadings {
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
 * @returns a function that reads it, whole milliseconds since the epoch
 */
export function createFeedClock({ wallMs, monotonicMs }: ClockReadings): () => number {
  let clockMs = wallMs();
  let readAtMs = monotonicMs();
  return function readFeedClock() {
    const nowMs = monotonicMs();
    const elapsedMs = nowMs - readAtMs;
    const errorMs = wallMs() - (clockMs + elapsedMs);
    const slewMsMax = elapsedMs * slewShare;
    clockMs += elapsedMs + Math.max(-slewMsMax, Math.min(slewMsMax, errorMs));
    readAtMs = nowMs;
    return Math.floor(clockMs);
  };
}
