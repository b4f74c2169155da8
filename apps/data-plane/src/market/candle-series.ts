import type { CandleRow, CandleSpan, GapSpan } from '../store/candles';

export const MINUTE_MS = 60_000;

/** A minute of the series; `row` absent: no trade fell into it. */
export interface MinuteCandle {
  readonly openMs: number;
  readonly closeMs: number;
  readonly row: CandleRow | undefined;
  /** All of the minute is recorded: it began after the first book retained, and the recorded feed clock has passed its end and the closing lag. */
  readonly complete: boolean;
  /** A gap of the trade channel overlaps the minute. */
  readonly gap: boolean;
}

/** The whole minute at or after an instant. */
export function minuteAtOrAfter(timeMs: number): number {
  return Math.ceil(timeMs / MINUTE_MS) * MINUTE_MS;
}

/** The whole minute at or before an instant. */
export function minuteAtOrBefore(timeMs: number): number {
  return Math.floor(timeMs / MINUTE_MS) * MINUTE_MS;
}

/** Every minute from `fromMs` (a whole minute) to before `toMs`, with or without trades. */
export function minuteSeries(span: CandleSpan, fromMs: number, toMs: number, closingLagMs: number): MinuteCandle[] {
  const rows = new Map(span.rows.map((row) => [row.openMs, row]));
  const { wholeFromMs = Infinity, recordedClockMs = -Infinity } = span;
  const candles: MinuteCandle[] = [];
  for (let openMs = fromMs; openMs < toMs; openMs += MINUTE_MS) {
    const closeMs = openMs + MINUTE_MS;
    candles.push({
      openMs,
      closeMs,
      row: rows.get(openMs),
      complete: wholeFromMs <= openMs && recordedClockMs >= closeMs + closingLagMs,
      gap: span.gaps.some((gap) => overlaps(gap, openMs, closeMs)),
    });
  }
  return candles;
}

/** A gap without length cuts the minute that it lies in; one that only touches a minute's edge does not cut it. */
function overlaps({ startMs, endMs }: GapSpan, openMs: number, closeMs: number): boolean {
  if (startMs === endMs) return startMs >= openMs && startMs < closeMs;
  return startMs < closeMs && endMs > openMs;
}
