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
