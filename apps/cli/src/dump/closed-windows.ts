import type { MarketEvent } from '@market-state/market-data';

/** Which windows the entries taken so far close: T at the first tick whose clock is at or after T and the closing lag. */
export class ClosedWindows {
  /**
   * @param untilMs window ends up to here are closed already
   * @param lagMs the closing lag in force; null: none was told yet, and ticks mean nothing
   */
  constructor(
    private untilMs: number,
    private lagMs: number | null,
  ) {}

  take(event: MarketEvent): void {
    if (event.kind === 'tick' && this.lagMs !== null) this.untilMs = Math.max(this.untilMs, event.feedClockMs - this.lagMs);
    if (event.kind === 'feed_status' && event.status.type === 'connected') this.lagMs = event.status.closingLagMs;
  }

  has(windowEndMs: number): boolean {
    return windowEndMs <= this.untilMs;
  }
}
