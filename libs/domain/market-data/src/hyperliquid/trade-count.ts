import { gapIdOf } from '../gap-id';
import type { LogPlace, LogWriter } from '../log-writer';
import type { MinuteCandle } from './message';

const MINUTE_MS = 60_000;
/** Feed clock from the end of a minute until its candle and its trades are taken to be complete; as long again for trades asked for. */
const SETTLED_MS = 5_000;
/** Minutes whose counts agreed before the candles are believed. */
const BELIEVED_AFTER = 3;

interface Minute {
  trades: number;
  /** By the venue's candle; undefined while none came. */
  counted: number | undefined;
  lastTradeId: string;
}

/**
 * Counts the trades of each minute against the venue's own candle: on a venue without sequence numbers nothing else shows that trades
 * are missing. Candles are believed once three minutes in a row agreed with them, so a venue that counts otherwise says nothing. A minute
 * that is short asks for recent trades; one that stays short is a gap of the whole minute.
 */
export class TradeCount {
  private readonly minutes = new Map<number, Minute>();
  private agreed = 0;
  private isShort = false;
  /** The first whole minute of the connection. */
  private firstMs: number | undefined;

  constructor(
    private readonly place: Pick<LogPlace, 'instrument' | 'pass'>,
    private readonly log: LogWriter,
  ) {}

  /** A minute that is over lacks trades that may still be had. */
  get needsTrades(): boolean {
    return this.isShort;
  }

  trade(timeMs: number, id: string): void {
    const minute = this.minuteAt(Math.floor(timeMs / MINUTE_MS) * MINUTE_MS);
    if (minute === undefined) return;
    minute.trades++;
    minute.lastTradeId = id;
  }

  candle({ startMs, tradeCount }: MinuteCandle): void {
    const minute = this.minuteAt(startMs);
    if (minute !== undefined) minute.counted = Math.max(minute.counted ?? 0, tradeCount);
  }

  tick(): void {
    const { clockMs } = this.log;
    this.firstMs ??= (Math.floor(clockMs / MINUTE_MS) + 1) * MINUTE_MS;
    this.isShort = false;
    for (const [startMs, minute] of this.minutes) {
      const overMs = clockMs - (startMs + MINUTE_MS);
      if (overMs < SETTLED_MS) continue;
      const missing = (minute.counted ?? 0) - minute.trades;
      if (missing > 0 && this.agreed >= BELIEVED_AFTER && overMs < 2 * SETTLED_MS) {
        this.isShort = true;
        continue;
      }
      this.minutes.delete(startMs);
      this.judge(startMs, minute, missing);
    }
  }

  /** Nothing follows: what is short is missing. */
  finish(): void {
    for (const [startMs, minute] of this.minutes) this.judge(startMs, minute, (minute.counted ?? 0) - minute.trades);
    this.minutes.clear();
  }

  private judge(startMs: number, { counted, lastTradeId }: Minute, missing: number): void {
    if (counted === undefined) return;
    if (missing > 0 && this.agreed >= BELIEVED_AFTER) this.tell(startMs, lastTradeId);
    else if (missing === 0) this.agreed++;
    else this.agreed = 0;
  }

  private tell(startMs: number, lastVenueId: string): void {
    const { venue, symbol } = this.place.instrument;
    const endMs = Math.max(startMs, Math.min(startMs + MINUTE_MS, this.log.clockMs));
    const gapId = gapIdOf({ venue, symbol, pass: this.place.pass, reason: 'sequence_gap', channel: 'trade', startMs, lastVenueId });
    this.log.status({ type: 'gap', gapId, channel: 'trade', startMs, endMs, reason: 'sequence_gap' }, endMs);
  }

  /** Undefined for a minute that began before the connection, or is judged already. */
  private minuteAt(startMs: number): Minute | undefined {
    if (this.firstMs === undefined || startMs < this.firstMs || this.log.clockMs - (startMs + MINUTE_MS) >= 2 * SETTLED_MS) return undefined;
    const known = this.minutes.get(startMs);
    if (known !== undefined) return known;
    const minute: Minute = { trades: 0, counted: undefined, lastTradeId: '' };
    this.minutes.set(startMs, minute);
    return minute;
  }
}
