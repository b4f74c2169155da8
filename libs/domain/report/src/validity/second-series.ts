import type { BookEvent } from '@market-state/market-data';

const SECOND_MS = 1_000;
/** Maximum age of a second's book. */
const SILENCE_MS = 10_000;
/** A longer silence of the book starts a new series. */
const RESTART_MS = 600_000;
const SECONDS = 7_200;
const LEVELS = 5;

interface MarketSpan {
  /** Mean depth imbalance of five levels a side, −1 (asks only) to 1. */
  readonly imbalance: number;
  /** Least notional of five levels a side, in quote currency. */
  readonly notional: number;
  readonly widestSpreadBps: number;
  /** Bought less sold notional by aggressor side, over traded notional; NaN without trades. */
  readonly netTraded: number;
  /** Absolute log return. */
  readonly move: number;
}

/**
 * Market of each whole second of the last two hours. A second has the newest book stamped at or before it, if at most
 * 10 s old, and the trades since the second before. Its log return, ln(mid / mid one second before), is unknown if
 * either mid is missing or a seam lies between them. A span (end − seconds, end] is unknown if any return in it is.
 */
export class SecondSeries {
  private book: BookEvent | undefined;
  private nextMs = 0;
  private sampledMid = Number.NaN;
  private readonly bookSeconds = new Float64Array(SECONDS).fill(-1);
  private readonly returns = new Float64Array(SECONDS);
  private readonly imbalances = new Float64Array(SECONDS);
  private readonly notionals = new Float64Array(SECONDS);
  private readonly spreads = new Float64Array(SECONDS);
  private readonly tradeSeconds = new Float64Array(SECONDS).fill(-1);
  private readonly net = new Float64Array(SECONDS);
  private readonly traded = new Float64Array(SECONDS);

  /** Adds the next book of the log; one older than the newest, or with an empty side, is skipped. */
  addBook(book: BookEvent): void {
    if (book.bids.length === 0 || book.asks.length === 0) return;
    const last = this.book;
    if (last !== undefined && book.exchangeTsMs < last.exchangeTsMs) return;
    if (last === undefined || book.exchangeTsMs - last.exchangeTsMs > RESTART_MS) this.restart(book.exchangeTsMs);
    else this.sampleBefore(book.exchangeTsMs, last);
    this.book = book;
  }

  addTrade(exchangeTsMs: number, notional: number, aggressorSide: 'buy' | 'sell'): void {
    const second = Math.ceil(exchangeTsMs / SECOND_MS);
    const slot = second % SECONDS;
    if (this.tradeSeconds[slot] !== second) {
      this.tradeSeconds[slot] = second;
      this.net[slot] = 0;
      this.traded[slot] = 0;
    }
    this.net[slot] = (this.net[slot] ?? 0) + (aggressorSide === 'buy' ? notional : -notional);
    this.traded[slot] = (this.traded[slot] ?? 0) + notional;
  }

  /** Marks a seam: later prices do not continue earlier ones. */
  cut(): void {
    this.book = undefined;
  }

  /** At the end of the log, the newest book completes its own second. */
  end(): void {
    if (this.book !== undefined) this.sampleBefore(this.book.exchangeTsMs + 1, this.book);
  }

  /** True once the second has been sampled or skipped. */
  isPast(ms: number): boolean {
    return ms < this.nextMs;
  }

  private restart(exchangeTsMs: number): void {
    this.nextMs = Math.ceil(exchangeTsMs / SECOND_MS) * SECOND_MS;
    this.sampledMid = Number.NaN;
  }

  private sampleBefore(endMs: number, book: BookEvent): void {
    if (this.nextMs >= endMs) return;
    const read = readBook(book);
    for (; this.nextMs < endMs; this.nextMs += SECOND_MS) {
      const second = this.nextMs / SECOND_MS;
      const slot = second % SECONDS;
      const mid = this.nextMs - book.exchangeTsMs <= SILENCE_MS ? read.mid : Number.NaN;
      this.bookSeconds[slot] = second;
      this.returns[slot] = Math.log(mid / this.sampledMid);
      this.imbalances[slot] = read.imbalance;
      this.notionals[slot] = read.notional;
      this.spreads[slot] = read.spreadBps;
      this.sampledMid = mid;
    }
  }

  /**
   * Realized volatility of spans that end at `endMs`, shortest first: the square root of the sum of squared log
   * returns. NaN if the span is unknown.
   */
  volatilities(endMs: number, spans: readonly number[]): readonly number[] {
    const last = endMs / SECOND_MS;
    let seconds = 0;
    let sum = 0;
    return spans.map((span) => {
      for (; seconds < span; seconds++) {
        const value = this.returnAt(last - seconds);
        sum += value * value;
      }
      return Math.sqrt(sum);
    });
  }

  private returnAt(second: number): number {
    const slot = second % SECONDS;
    return this.bookSeconds[slot] === second ? (this.returns[slot] ?? Number.NaN) : Number.NaN;
  }

  /** Undefined if the span is unknown. */
  market(endMs: number, seconds: number): MarketSpan | undefined {
    const last = endMs / SECOND_MS;
    let [imbalance, move, net, traded] = [0, 0, 0, 0];
    let [notional, widestSpreadBps] = [Infinity, 0];
    for (let second = last - seconds + 1; second <= last; second++) {
      const slot = second % SECONDS;
      move += this.returnAt(second);
      imbalance += this.imbalances[slot] ?? 0;
      notional = Math.min(notional, this.notionals[slot] ?? Infinity);
      widestSpreadBps = Math.max(widestSpreadBps, this.spreads[slot] ?? 0);
      if (this.tradeSeconds[slot] !== second) continue;
      net += this.net[slot] ?? 0;
      traded += this.traded[slot] ?? 0;
    }
    if (Number.isNaN(move)) return undefined;
    return { imbalance: imbalance / seconds, notional, widestSpreadBps, netTraded: net / traded, move: Math.abs(move) };
  }
}

function readBook({ bids, asks }: BookEvent) {
  const [bid, ask] = [Number(bids[0]?.price), Number(asks[0]?.price)];
  const [bidNotional, askNotional] = [notionalOf(bids), notionalOf(asks)];
  const notional = bidNotional + askNotional;
  const mid = (bid + ask) / 2;
  return { mid, notional, imbalance: (bidNotional - askNotional) / notional, spreadBps: ((ask - bid) / mid) * 10_000 };
}

function notionalOf(levels: BookEvent['bids']): number {
  let sum = 0;
  for (const { price, size } of levels.slice(0, LEVELS)) sum += Number(price) * Number(size);
  return sum;
}
