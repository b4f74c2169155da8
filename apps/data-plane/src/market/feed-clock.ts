/** Silence after which the feed counts as gone; ticks come every 250 ms. */
const SILENCE_MS = 1_000;

/**
 * The feed's clock as told by ticks. A feed that stops ticking would stand still and make everything look fresh, so after
 * a second of silence the clock goes on at the pace of the wall clock.
 */
export class FeedClock {
  private lastTickMs: number | undefined;
  private tickedAtMs = 0;

  constructor(private readonly wallNowMs: () => number) {}

  tick(feedClockMs: number): void {
    this.lastTickMs = Math.max(feedClockMs, this.lastTickMs ?? feedClockMs);
    this.tickedAtMs = this.wallNowMs();
  }

  /** Milliseconds since the epoch; undefined before the first tick. */
  nowMs(): number | undefined {
    if (this.lastTickMs === undefined) return undefined;
    const silentMs = this.wallNowMs() - this.tickedAtMs;
    return silentMs > SILENCE_MS ? this.lastTickMs + silentMs : this.lastTickMs;
  }

  /** Age of something by this clock, milliseconds, never below 0. */
  ageMs(exchangeTsMs: number): number {
    return Math.max(0, (this.nowMs() ?? exchangeTsMs) - exchangeTsMs);
  }
}
