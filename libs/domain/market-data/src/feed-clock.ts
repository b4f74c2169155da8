import type { LogWriter } from './log-writer';
import type { Normalizer } from './normalizer';
import type { RejectionReason } from './rejections';

/** How far ahead of the feed clock an exchange time may be, and how far behind. */
const AHEAD_MS_MAX = 5_000;
const BEHIND_MS_MAX = 86_400_000;

/** Why an exchange time can't be taken at this feed clock; undefined when it can. */
export function timeFault(exchangeTsMs: number, feedClockMs: number): RejectionReason | undefined {
  if (exchangeTsMs > feedClockMs + AHEAD_MS_MAX) return 'future_time';
  return exchangeTsMs < feedClockMs - BEHIND_MS_MAX ? 'old_time' : undefined;
}

/** Feed clock between two ticks. */
export const TICK_MS = 250;

/**
 * The feed clock: the receive clock, which never falls. Logs a tick at every multiple of 250 ms, from the
 * first at or after the start on, through holes; what a tick makes due comes before it.
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

  /** A message was received: ticks at or before that instant come before it. */
  advanceTo(receivedMs: number): void {
    const clockMs = Math.max(receivedMs, this.log.clockMs);
    for (; this.nextTickMs <= clockMs; this.nextTickMs += TICK_MS) this.tick();
    this.log.clockMs = clockMs;
  }

  /** Goes on from this instant; what lies between gets no ticks. */
  skipTo(startMs: number): void {
    this.log.clockMs = Math.max(startMs, this.log.clockMs);
    this.nextTickMs = Math.ceil(this.log.clockMs / TICK_MS) * TICK_MS;
  }

  /** Ticks up to the end, exclusive. */
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
