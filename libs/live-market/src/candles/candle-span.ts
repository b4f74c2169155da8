import type { LogPlace } from '../log-place';
import type { CandleRow } from './candle-row';

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
