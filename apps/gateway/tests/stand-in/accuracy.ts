import type { marketData } from '@market-state/contracts';
import { FEED_CLOCK_MS } from './made-rows';

const DAY_MS = 86_400_000;

/** Two audit runs per symbol, the last with a wrong best bid. */
export function accuracyOf(
  symbols: readonly string[],
  { symbol, fromMs, toMs, asOfMs }: marketData.GetAccuracyRequest,
): marketData.GetAccuracyResponse {
  const untilMs = asOfMs === 0 ? FEED_CLOCK_MS : Math.min(asOfMs, FEED_CLOCK_MS);
  const runMs = untilMs - (untilMs % 600_000);
  const isWithin = fromMs <= runMs && (toMs === 0 || runMs < toMs);
  const requested = isWithin ? symbols.filter((each) => symbol === '' || each === symbol) : [];
  const largest = { field: 'bid_price', atMs: runMs - 2_000, ours: '100.1', theirs: '100', apart: '0.1' };
  return {
    asOfMs: untilMs,
    days: requested.map((each) => ({
      ...{ symbol: each, venue: 'binance-coinm', measure: 'book', source: 'recording', dayMs: Math.floor(runMs / DAY_MS) * DAY_MS },
      ...{ runTotal: 2, comparedTotal: 40, equalTotal: 39, notComparedTotal: 4, reasons: ['gap'], lastRunMs: runMs, largest },
    })),
    differences: requested.map((each) => ({
      ...{ differenceId: `dif_${'0'.repeat(26)}`, symbol: each, venue: 'binance-coinm', measure: 'book', source: 'recording' },
      ...{
        openedMs: runMs,
        closedMs: 0,
        fromMs: runMs - 2_000,
        toMs: runMs - 2_000,
        runTotal: 1,
        valueTotal: 1,
        largest,
        sentence: `Best prices of ${each} differed.`,
      },
    })),
    differenceTotal: requested.length,
    keptDays: 90,
  };
}
