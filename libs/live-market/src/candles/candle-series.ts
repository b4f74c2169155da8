import type { CandleRow } from './candle-row';
import type { CandleSpan, CandleGap } from './candle-span';

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
export interface SeriesSpan {
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
