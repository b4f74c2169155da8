import type { TimedChannel } from './event';
import type { RejectionCounts, RejectionReason } from './rejections';
import type { LogPosition, LogWriter } from './log-writer';

/** No pass means a live feed; the simulated venue is always marked as such. */
export function writeConnected({ instrument, pass }: LogPosition, log: LogWriter): void {
  const { venue, channels, bookStalenessMs, tradeStalenessMs, contextStalenessMs, closingLagMs } = instrument;
  const sourceKind = venue === 'simulated' ? 'simulated' : pass === 0 ? 'live' : 'recorded';
  log.status({ type: 'connected', channels, bookStalenessMs, tradeStalenessMs, contextStalenessMs, closingLagMs, sourceKind });
}

export interface Normalizer<Message> {
  readonly rejections: RejectionCounts;
  accept(message: Message): void;
  tick(): void;
  finish(): void;
}

/** Created per live connection, so that no state carries over. */
export interface LiveNormalizer<Message> extends Normalizer<Message> {
  readonly needsSnapshot: boolean;
  /** Channel whose subscription brought the message; undefined for REST responses and unmonitored channels. */
  channelOf(message: Message): TimedChannel | undefined;
  readonly isTradeQuiet: boolean;
  /** Book messages were dropped under load: writes a gap if the book cannot continue. */
  overflowed(): void;
  ended(): void;
}

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

const REMEMBERED = 100_000;

export class RecentIds {
  private newer = new Set<string>();
  private older = new Set<string>();

  add(id: string): boolean {
    if (this.has(id)) return false;
    if (this.newer.size === REMEMBERED) {
      this.older = this.newer;
      this.newer = new Set();
    }
    this.newer.add(id);
    return true;
  }
  has(id: string): boolean {
    return this.newer.has(id) || this.older.has(id);
  }
}
