import { type Comparison, ComparisonTally } from './comparison';
import type { VenueCandle } from './venue-answers';

const MINUTE_MS = 60_000;
export const CANDLE_VALUES = 6;

export interface AuditedCandle {
  readonly openMs: number;
  readonly complete: boolean;
  readonly gap: boolean;
  /** Absent without trades. `volume` is in base units, `notional` in quote currency. */
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
 * Incomplete minutes are skipped. A minute with trades on only one side differs in its trade count, or in its volume if
 * the venue does not count trades.
 */
export function compareCandles(ours: readonly AuditedCandle[], theirs: readonly VenueCandle[]): Comparison {
  const tally = new ComparisonTally();
  const countsTrades = theirs.every(({ tradeTotal }) => tradeTotal !== undefined);
  const byOpen = new Map(theirs.map((candle) => [candle.openMs, candle]));
  for (const { openMs, complete, gap, row } of ours) {
    const span = [openMs, openMs + MINUTE_MS] as const;
    const candle = byOpen.get(openMs);
    if (gap || !complete) {
      tally.skip(CANDLE_VALUES, gap ? 'gap' : 'not_recorded');
      continue;
    }
    const hasTrades = candle !== undefined && (candle.tradeTotal ?? Number(candle.turnover.value)) > 0;
    if (row !== undefined && hasTrades) {
      for (const field of ['open', 'high', 'low', 'close'] as const) tally.compare(field, span, row[field], candle[field]);
      tally.compare(candle.turnover.field, span, row[candle.turnover.field], candle.turnover.value);
    }
    if (countsTrades) tally.compare('trade_total', span, String(row?.tradeTotal ?? 0), String(candle?.tradeTotal ?? 0));
    else {
      if ((row !== undefined) !== hasTrades) tally.compare('volume', span, row?.volume ?? '0', candle?.turnover.value ?? '0');
      tally.skip(1, 'no_venue_value');
    }
  }
  return tally.result();
}
