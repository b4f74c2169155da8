import type { LogPlace, LogWriter } from '../log-writer';
import { writeTradeGap } from '../gap-id';
import type { MinuteCandle } from './message';

const MINUTE_MS = 60_000;
/** Feed clock from the end of a minute until its candle and its trades are taken to be complete; as long again for trades asked for. */
const SETTLED_MS = 5_000;
/** Minutes whose counts agreed before the candles are believed. */
const BELIEVED_AFTER = 3;
/** The venue whose candles count its trades one by one, by its own making. */
const COUNTS_EACH_TRADE = 'simulated';

interface Minute {
  /** Times of its trades. */
  readonly tradesMs: number[];
  /** By the venue's candle, less what it counted before the connection; undefined while none came. */
  counted: number | undefined;
  /** Time of the newest trade that had come when it was counted. */
  countedToMs: number;
  /** Where the connection began in the midst of the minute. */
  readonly begun: Begun | undefined;
  lastTradeId: string;
}

/** What the venue had counted by then, and the time of the newest trade that is known to be among it. */
interface Begun {
  readonly counted: number;
  readonly newestMs: number;
}

/**
 * Counts the trades of each minute against the venue's own candle: on a venue without sequence numbers nothing else shows that trades
 * are missing. Candles are believed once three minutes agreed with them, so a venue that counts otherwise says nothing; the simulated
 * venue's from the start. A minute that is short asks for recent trades; one that stays short is a gap of the whole minute.
 */
export class TradeCount {
  private readonly minutes = new Map<number, Minute>();
  private agreed: number;
  private isShort = false;
  /** The minute in whose midst the connection began: its first candle says what came before. */
  private firstMs: number | undefined;
  private newestMs = 0;
  /** When the venue was last known to be silent. */
  private silentMs = 0;

  constructor(
    private readonly place: Pick<LogPlace, 'instrument' | 'pass'>,
    private readonly log: LogWriter,
  ) {
    this.agreed = place.instrument.venue === COUNTS_EACH_TRADE ? BELIEVED_AFTER : 0;
  }

  /** A minute that is over lacks trades that may still be had. */
  get needsTrades(): boolean {
    return this.isShort;
  }

  trade(timeMs: number, id: string): void {
    const minute = this.minutes.get(minuteOf(timeMs)) ?? this.whole(minuteOf(timeMs));
    this.newestMs = Math.max(this.newestMs, timeMs);
    if (minute === undefined || (minute.begun !== undefined && timeMs <= minute.begun.newestMs)) return;
    minute.tradesMs.push(timeMs);
    minute.lastTradeId = id;
  }

  candle({ startMs, tradeCount }: MinuteCandle): void {
    this.firstMs ??= startMs;
    const minute = this.minutes.get(startMs) ?? this.whole(startMs) ?? this.begunBefore(startMs, tradeCount);
    if (minute === undefined) return;
    const counted = tradeCount - (minute.begun?.counted ?? 0);
    if (minute.counted !== undefined && counted <= minute.counted) return;
    minute.counted = counted;
    minute.countedToMs = this.newestMs;
  }

  /** @param isSilent no push comes: neither trades nor candles are complete */
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

  /** Nothing follows: what is short is missing. */
  ended(): void {
    for (const [startMs, minute] of this.minutes) this.judge(startMs, minute);
    this.minutes.clear();
  }

  private get isBelieved(): boolean {
    return this.agreed >= BELIEVED_AFTER;
  }

  /** Trades that the candle lacks are those of another minute, by a clock that is off: as many of this one may be missing. */
  private judge(startMs: number, minute: Minute): void {
    const missing = missingIn(minute);
    if (minute.counted === undefined) return;
    if (missing !== 0 && this.isBelieved) {
      const endMs = Math.max(startMs, Math.min(startMs + MINUTE_MS, this.log.clockMs));
      writeTradeGap(this.place, this.log, { startMs, endMs, lastVenueId: minute.lastTradeId });
    } else this.agreed = missing !== 0 ? 0 : this.agreed + 1;
  }

  /** A minute that is new and began in the time of this connection; undefined for others, and for those judged already. */
  private whole(startMs: number): Minute | undefined {
    if (this.firstMs === undefined || startMs <= this.firstMs || this.log.clockMs - (startMs + MINUTE_MS) >= SETTLED_MS) return undefined;
    return this.keep(startMs, undefined);
  }

  private begunBefore(startMs: number, counted: number): Minute | undefined {
    return startMs === this.firstMs && this.log.clockMs < startMs + MINUTE_MS
      ? this.keep(startMs, { counted, newestMs: this.newestMs })
      : undefined;
  }

  private keep(startMs: number, begun: Begun | undefined): Minute {
    const minute: Minute = { tradesMs: [], counted: undefined, countedToMs: 0, begun, lastTradeId: '' };
    this.minutes.set(startMs, minute);
    return minute;
  }
}

function minuteOf(timeMs: number): number {
  return Math.floor(timeMs / MINUTE_MS) * MINUTE_MS;
}

/** Trades that the candle counts and that have not come. One that stopped before its minute did says nothing of the trades after it. */
function missingIn({ counted = 0, countedToMs, tradesMs }: Minute): number {
  if (tradesMs.length <= counted) return counted - tradesMs.length;
  return counted - tradesMs.filter((timeMs) => timeMs <= countedToMs).length;
}
