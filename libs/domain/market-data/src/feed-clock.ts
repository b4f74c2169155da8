import type { LogWriter } from './log-writer';
import type { Normalizer } from './normalizer';
import type { RejectionReason } from './rejections';

const AHEAD_MS_MAX = 5_000;
const BEHIND_MS_MAX = 86_400_000;

export function timeFault(exchangeTsMs: number, feedClockMs: number): RejectionReason | undefined {
  if (exchangeTsMs > feedClockMs + AHEAD_MS_MAX) return 'future_time';
  return exchangeTsMs < feedClockMs - BEHIND_MS_MAX ? 'old_time' : undefined;
}

export const TICK_MS = 250;

/**
 * Monotonic receive clock. Logs a tick every 250 ms, also across gaps in the input, after anything that the tick makes
 * due.
 */
export class FeedClock {
  private nextTickMs: number;

  constructor(
    private readonly log: LogWriter,
    private readonly normalizer: Pick<Normalizer<never>, 'tick'>,
    startMs: number,
  ) {
    log.clockMs = startMs;
    this.nextTickMs = Math.ceil(startMs / TICK_MS) * TICK_MS;
  }

  advanceTo(receivedMs: number): void {
    const clockMs = Math.max(receivedMs, this.log.clockMs);
    for (; this.nextTickMs <= clockMs; this.nextTickMs += TICK_MS) this.tick();
    this.log.clockMs = clockMs;
  }

  /** Jumps ahead without logging ticks. */
  skipTo(startMs: number): void {
    this.log.clockMs = Math.max(startMs, this.log.clockMs);
    this.nextTickMs = Math.ceil(this.log.clockMs / TICK_MS) * TICK_MS;
  }

  finish(endMs: number): void {
    for (; this.nextTickMs < endMs; this.nextTickMs += TICK_MS) this.tick();
    this.log.clockMs = Math.max(this.log.clockMs, endMs);
  }

  private tick(): void {
    this.log.clockMs = this.nextTickMs;
    this.normalizer.tick();
    this.log.tick();
  }
}
