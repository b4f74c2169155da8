import { type Comparison, ComparisonTally } from './comparison';
import type { VenueCandle } from './venue-answers';

const MINUTE_MS = 60_000;
/** Values of a candle: open, high, low, close, turnover and trades. */
export const CANDLE_VALUES = 6;

/** A candle of one minute as it is served. */
export interface AuditedCandle {
  /** Milliseconds since the epoch. */
  readonly openMs: number;
  /** All of the minute is recorded. */
  readonly complete: boolean;
  /** A gap of the trades overlaps it. */
  readonly gap: boolean;
  /** Absent: no trade fell into it. `volume` is in base units, `notional` in quote currency; decimals. */
  readonly row?: {
    readonly open: string;
    readonly high: string;
    readonly low: string;
    readonly close: string;
    readonly volume: string;
    readonly notional: string;
    readonly tradeTotal: number;
  };
}

/**
 * Holds candles of one minute against the venue's: open, high, low, close, what was traded, and how many trades. A minute that has a
 * trade on one side alone differs in its trades; one without any on both is equal in them. Minutes that are not whole here are not
 * compared.
 */
export function compareCandles(ours: readonly AuditedCandle[], theirs: readonly VenueCandle[]): Comparison {
  const tally = new ComparisonTally();
  const byOpen = new Map(theirs.map((candle) => [candle.openMs, candle]));
  for (const { openMs, complete, gap, row } of ours) {
    const span = [openMs, openMs + MINUTE_MS] as const;
    const candle = byOpen.get(openMs);
    if (gap || !complete) {
      tally.skip(CANDLE_VALUES, gap ? 'gap' : 'not_recorded');
      continue;
    }
    if (row !== undefined && candle !== undefined && candle.tradeTotal > 0) {
      for (const field of ['open', 'high', 'low', 'close'] as const) tally.compare(field, span, row[field], candle[field]);
      tally.compare(candle.turnover.field, span, row[candle.turnover.field], candle.turnover.value);
    }
    tally.compare('trade_total', span, String(row?.tradeTotal ?? 0), String(candle?.tradeTotal ?? 0));
  }
  return tally.result();
}
