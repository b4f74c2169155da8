import type { LogPosition, LogWriter } from '../log-writer';
import { writeTradeGap } from '../gap-id';
import type { MinuteCandle } from './message';

const MINUTE_MS = 60_000;
/** Delay before a minute's candle and trades count as complete; the same again for requested trades. */
const SETTLED_MS = 5_000;
const BELIEVED_AFTER = 3;
/** Its candles count each trade by design. */
const COUNTS_EACH_TRADE = 'simulated';

interface Minute {
  readonly tradesMs: number[];
  counted: number | undefined;
  countedToMs: number;
  readonly started: StartedMinute | undefined;
  lastTradeId: string;
}

interface StartedMinute {
  readonly counted: number;
  readonly newestMs: number;
}

/**
 * The venue's candle is the only evidence of missing trades without sequence numbers. It is trusted after three
 * matching minutes. A short minute requests recent trades; if still short, it becomes a gap.
 */
export class TradeCount {
  private readonly minutes = new Map<number, Minute>();
  private agreed: number;
  private isShort = false;
  private firstMs: number | undefined;
  private newestMs = 0;
  private silentMs = 0;

  constructor(
    private readonly place: Pick<LogPosition, 'instrument' | 'pass'>,
    private readonly log: LogWriter,
  ) {
    this.agreed = place.instrument.venue === COUNTS_EACH_TRADE ? BELIEVED_AFTER : 0;
  }

  get needsTrades(): boolean {
    return this.isShort;
  }

  trade(timeMs: number, id: string): void {
    const minute = this.minutes.get(minuteOf(timeMs)) ?? this.whole(minuteOf(timeMs));
    this.newestMs = Math.max(this.newestMs, timeMs);
    if (minute === undefined || (minute.started !== undefined && timeMs <= minute.started.newestMs)) return;
    minute.tradesMs.push(timeMs);
    minute.lastTradeId = id;
  }

  candle({ startMs, tradeCount }: MinuteCandle): void {
    this.firstMs ??= startMs;
    const minute = this.minutes.get(startMs) ?? this.whole(startMs) ?? this.startedBefore(startMs, tradeCount);
    if (minute === undefined) return;
    const counted = tradeCount - (minute.started?.counted ?? 0);
    if (minute.counted !== undefined && counted <= minute.counted) return;
    minute.counted = counted;
    minute.countedToMs = this.newestMs;
  }

  tick(isSilent: boolean): void {
    const { clockMs } = this.log;
    this.isShort = false;
    if (isSilent) this.silentMs = clockMs;
    for (const [startMs, minute] of this.minutes) {
      const overMs = clockMs - Math.max(startMs + MINUTE_MS, this.silentMs);
      if (overMs < SETTLED_MS) continue;
      if (missingIn(minute) > 0 && this.isBelieved && overMs < 2 * SETTLED_MS) {
        this.isShort = true;
        continue;
      }
      this.minutes.delete(startMs);
      this.judge(startMs, minute);
    }
  }

  ended(): void {
    for (const [startMs, minute] of this.minutes) this.judge(startMs, minute);
    this.minutes.clear();
  }

  private get isBelieved(): boolean {
    return this.agreed >= BELIEVED_AFTER;
  }

  /** Excess trades belong to another minute (clock skew), so as many of this minute may be missing. */
  private judge(startMs: number, minute: Minute): void {
    const missing = missingIn(minute);
    if (minute.counted === undefined) return;
    if (missing !== 0 && this.isBelieved) {
      const endMs = Math.max(startMs, Math.min(startMs + MINUTE_MS, this.log.clockMs));
      writeTradeGap(this.place, this.log, { startMs, endMs, lastVenueId: minute.lastTradeId });
    } else this.agreed = missing !== 0 ? 0 : this.agreed + 1;
  }

  private whole(startMs: number): Minute | undefined {
    if (this.firstMs === undefined || startMs <= this.firstMs || this.log.clockMs - (startMs + MINUTE_MS) >= SETTLED_MS) return undefined;
    return this.keep(startMs, undefined);
  }

  private startedBefore(startMs: number, counted: number): Minute | undefined {
    return startMs === this.firstMs && this.log.clockMs < startMs + MINUTE_MS
      ? this.keep(startMs, { counted, newestMs: this.newestMs })
      : undefined;
  }

  private keep(startMs: number, started: StartedMinute | undefined): Minute {
    const minute: Minute = { tradesMs: [], counted: undefined, countedToMs: 0, started, lastTradeId: '' };
    this.minutes.set(startMs, minute);
    return minute;
  }
}

function minuteOf(timeMs: number): number {
  return Math.floor(timeMs / MINUTE_MS) * MINUTE_MS;
}

function missingIn({ counted = 0, countedToMs, tradesMs }: Minute): number {
  if (tradesMs.length <= counted) return counted - tradesMs.length;
  return counted - tradesMs.filter((timeMs) => timeMs <= countedToMs).length;
}
