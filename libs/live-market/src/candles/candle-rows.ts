import type { LogPlace } from '../log-place';
import { addDecimals, multiplyDecimals } from '@market-state/market-data';
import { compareExact, exactOf, type TradeCandle } from './trade-candles';

/** A candle with trades. Decimals in plain notation without trailing zeros. */
export interface CandleRow {
  readonly openMs: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  /** Base units. */
  readonly volume: string;
  /** Quote currency. */
  readonly notional: string;
  readonly tradeTotal: number;
  /** When the newest of its trades was received, milliseconds since the epoch; 0 where that was not kept. */
  readonly lastReceivedMs: number;
}

/**
 * Candles of trades. What trades in contracts turned over is contracts × contract value, which is exact, where price × size carries the
 * rounding of the size; where the contract value is not known it is price × size.
 */
export function toCandleRows(candles: readonly TradeCandle[], contractValue: string | undefined): CandleRow[] {
  return candles.map(({ openMs, open, high, low, close, volume, value, contracts, contractTrades, tradeTotal, lastReceivedMs }) => {
    const ofContracts = contractValue === undefined ? contractTrades.toString() : multiplyDecimals(contracts.toString(), contractValue);
    return {
      openMs,
      open: open.price,
      high: high.price,
      low: low.price,
      close: close.price,
      volume: addDecimals(volume.toString(), '0'),
      notional: addDecimals(value.toString(), ofContracts),
      tradeTotal,
      lastReceivedMs,
    };
  });
}

/** One candle for each opening time, of parts whose trades follow each other in time. */
export function joinCandles(parts: readonly CandleRow[]): CandleRow[] {
  const joined: CandleRow[] = [];
  for (const part of parts) {
    const before = joined.at(-1);
    if (before?.openMs === part.openMs) joined[joined.length - 1] = join(before, part);
    else joined.push(part);
  }
  return joined;
}

function join(before: CandleRow, after: CandleRow): CandleRow {
  return {
    openMs: before.openMs,
    open: before.open,
    high: compareExact(exactOf(after.high), exactOf(before.high)) > 0 ? after.high : before.high,
    low: compareExact(exactOf(after.low), exactOf(before.low)) < 0 ? after.low : before.low,
    close: after.close,
    volume: addDecimals(before.volume, after.volume),
    notional: addDecimals(before.notional, after.notional),
    tradeTotal: before.tradeTotal + after.tradeTotal,
    lastReceivedMs: Math.max(before.lastReceivedMs, after.lastReceivedMs),
  };
}

/** Span of a gap on the trade channel; `endMs` Infinity while it is open. */
export interface CandleGap {
  readonly startMs: number;
  readonly endMs: number;
}

/** What is stored of a span of candles. */
export interface CandleSpan {
  /** The span that was read. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Start of the minute of the first trade recorded; undefined when there is none. */
  readonly firstTradeMs: number | undefined;
  /** Exchange time from which the rows are whole: that of the first book; undefined before it. */
  readonly wholeFromMs: number | undefined;
  /** Feed clock up to which the log is recorded, or `asOfMs` when that is earlier; undefined before the first control entry. */
  readonly recordedClockMs: number | undefined;
  /** The last entry of the log that was recorded when it was read. */
  readonly recorded: LogPlace;
  /** Candles with at least one trade, oldest first. */
  readonly rows: readonly CandleRow[];
  readonly gaps: readonly CandleGap[];
}

/** A candle of the series; `row` absent: no trade fell into it. */
export interface Candle {
  readonly openMs: number;
  /** Exclusive. */
  readonly closeMs: number;
  readonly row: CandleRow | undefined;
  /** All of it is recorded: it opened after the first book recorded, and the recorded feed clock has passed its end and the closing lag. */
  readonly complete: boolean;
  /** A gap of the trade channel overlaps it. */
  readonly gap: boolean;
}

/** What a series covers: whole candles of one length. Times and lengths are milliseconds. */
interface SeriesSpan {
  readonly intervalMs: number;
  /** Inclusive, a multiple of the interval. */
  readonly fromMs: number;
  /** Exclusive, a multiple of the interval. */
  readonly toMs: number;
  readonly closingLagMs: number;
}

/** The opening time of a candle at or after an instant. */
export function openAtOrAfter(timeMs: number, intervalMs: number): number {
  return Math.ceil(timeMs / intervalMs) * intervalMs;
}

/** The opening time of the candle that holds an instant. */
export function openAtOrBefore(timeMs: number, intervalMs: number): number {
  return Math.floor(timeMs / intervalMs) * intervalMs;
}

/** Every candle of a span, with or without trades. */
export function candleSeries(stored: CandleSpan, { intervalMs, fromMs, toMs, closingLagMs }: SeriesSpan): Candle[] {
  const rows = new Map(stored.rows.map((row) => [row.openMs, row]));
  const { wholeFromMs = Infinity, recordedClockMs = -Infinity } = stored;
  const candles: Candle[] = [];
  for (let openMs = fromMs; openMs < toMs; openMs += intervalMs) {
    const closeMs = openMs + intervalMs;
    candles.push({
      openMs,
      closeMs,
      row: rows.get(openMs),
      complete: wholeFromMs <= openMs && recordedClockMs >= closeMs + closingLagMs,
      gap: stored.gaps.some((gap) => overlaps(gap, openMs, closeMs)),
    });
  }
  return candles;
}

/** A gap without length cuts the candle that it lies in; one that only touches a candle's edge does not cut it. */
function overlaps({ startMs, endMs }: CandleGap, openMs: number, closeMs: number): boolean {
  if (startMs === endMs) return startMs >= openMs && startMs < closeMs;
  return startMs < closeMs && endMs > openMs;
}
