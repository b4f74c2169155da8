/** Silence after which the feed counts as gone; a tick comes every 250 ms. */
const SILENCE_MS = 1_000;

/**
 * The feed's clock as its entries tell it: the newest receive time, a tick's among them. A feed that stops would stand still and
 * make everything look fresh, so after a second of silence the clock goes on at the pace of the wall clock.
 */
export class FeedClock {
  private heardMs: number | undefined;
  private heardAtMs = 0;

  constructor(private readonly wallNowMs: () => number) {}

  /** An entry was received at this time of the feed. */
  heard(receivedTsMs: number): void {
    this.heardMs = Math.max(receivedTsMs, this.heardMs ?? receivedTsMs);
    this.heardAtMs = this.wallNowMs();
  }

  /** What was heard last and how long ago, for a clock that is to show the same. */
  standing(): { readonly clockMs: number; readonly silentMs: number } {
    return { clockMs: this.heardMs ?? 0, silentMs: this.heardMs === undefined ? 0 : this.wallNowMs() - this.heardAtMs };
  }

  /** Shows what another clock shows. */
  stand({ clockMs, silentMs }: { readonly clockMs: number; readonly silentMs: number }): void {
    this.heardMs = clockMs === 0 ? undefined : clockMs;
    this.heardAtMs = this.wallNowMs() - silentMs;
  }

  /** Milliseconds since the epoch; undefined before the first entry. */
  nowMs(): number | undefined {
    if (this.heardMs === undefined) return undefined;
    const silentMs = this.wallNowMs() - this.heardAtMs;
    return silentMs > SILENCE_MS ? this.heardMs + silentMs : this.heardMs;
  }

  /** Age of something by this clock, milliseconds, never below 0. */
  ageMs(exchangeTsMs: number): number {
    return Math.max(0, (this.nowMs() ?? exchangeTsMs) - exchangeTsMs);
  }
}
