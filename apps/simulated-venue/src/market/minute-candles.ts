import { COIN } from '../protocol/coin';
import { type Candle, wireDecimal } from '../protocol/frames';

const MINUTE_MS = 60_000;
/** Minutes that are kept. */
const KEPT = 240;
/** Sizes are whole lots of 0.01. */
const LOTS = 100;

interface Minute {
  readonly startMs: number;
  readonly open: string;
  close: string;
  high: string;
  low: string;
  lots: number;
  trades: number;
}

/** Candles of one minute, of every trade that the venue makes public. */
export class MinuteCandles {
  private readonly minutes: Minute[] = [];

  add({ tsMs, price, size }: { readonly tsMs: number; readonly price: string; readonly size: string }): void {
    const startMs = Math.floor(tsMs / MINUTE_MS) * MINUTE_MS;
    const lots = Math.round(Number(size) * LOTS);
    const minute = this.minutes.at(-1);
    if (minute === undefined || minute.startMs < startMs) {
      this.minutes.push({ startMs, open: price, close: price, high: price, low: price, lots, trades: 1 });
      if (this.minutes.length > KEPT) this.minutes.shift();
      return;
    }
    minute.close = price;
    if (Number(price) > Number(minute.high)) minute.high = price;
    if (Number(price) < Number(minute.low)) minute.low = price;
    minute.lots += lots;
    minute.trades++;
  }

  /** The newest, which may go on. */
  newest(): Candle | undefined {
    const minute = this.minutes.at(-1);
    return minute && candleOf(minute);
  }

  between(startMs: number, endMs: number): Candle[] {
    return this.minutes.filter((minute) => minute.startMs + MINUTE_MS > startMs && minute.startMs <= endMs).map(candleOf);
  }
}

function candleOf({ startMs, open, close, high, low, lots, trades }: Minute): Candle {
  const [o, c, h, l] = [open, close, high, low].map(wireDecimal) as [string, string, string, string];
  return { t: startMs, T: startMs + MINUTE_MS - 1, s: COIN, i: '1m', o, c, h, l, v: wireDecimal(String(lots / LOTS)), n: trades };
}
