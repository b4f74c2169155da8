import type { Column, Row } from '@market-state/archive';
import { TIMEFRAMES } from '@market-state/export-schema';
import type { PartPlan } from '../jobs/part';
import type { ExportSpec } from '../jobs/spec';
import type { Upstreams } from '../upstreams';

const PAGE_SIZE = 1_000;

const TEXTS = ['venue', 'tf', 'open', 'high', 'low', 'close', 'volume', 'notional'] as const;

/** Columns of candles, before they are chosen from. */
export const CANDLE_COLUMNS: readonly Column[] = [
  ...TEXTS.map((name): Column => ({ name, type: 'text' })),
  { name: 'open_ts_ms', type: 'int64' },
  { name: 'close_ts_ms', type: 'int64' },
  { name: 'trade_total', type: 'int64' },
  { name: 'complete', type: 'bool' },
  { name: 'gap', type: 'bool' },
];

/** Candles of a span as the API gives them, a page at a time. */
export async function* candleRows(
  { marketData }: Pick<Upstreams, 'marketData'>,
  { spec, symbol, plan }: { readonly spec: ExportSpec; readonly symbol: string; readonly plan: PartPlan },
): AsyncGenerator<Row[]> {
  const { intervalMs, asOfMs } = spec;
  const tf = Object.entries(TIMEFRAMES).find(([, lengthMs]) => lengthMs === intervalMs)?.[0] ?? '';
  let pageToken = '';
  do {
    const page = await marketData.call.listCandles({
      symbol,
      fromMs: plan.fromMs,
      toMs: plan.toMs,
      pageSize: PAGE_SIZE,
      pageToken,
      intervalMs,
      asOfMs,
    });
    yield page.candles.map((candle): Row => {
      const price = (text: string): string | null => (text === '' ? null : text);
      return [
        page.venue,
        tf,
        price(candle.open),
        price(candle.high),
        price(candle.low),
        price(candle.close),
        candle.volume,
        candle.notional,
        candle.openTsMs,
        candle.closeTsMs,
        candle.tradeTotal,
        candle.complete,
        candle.gap,
      ];
    });
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
}
