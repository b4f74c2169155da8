import { COVERAGE_SPAN_MS } from '@market-state/packet-views';
import type { DataHealthWatch } from '../../clients/data-health';
import { servedSymbols } from '../../clients/market-data-client';
import type { Upstreams } from '../../clients/upstreams';
import { keptFor } from '../../clients/stretch-cache';
import { jsonRepresentation } from '../../serving/http/representation';
import { operationById } from '../../serving/openapi/operations';
import { symbolQuality } from './source-quality/symbol-quality';
import { dataAnswer, serviceSource } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/answers/handler';

/** It is read anew no sooner than this, milliseconds; the preview, which tells what was ten minutes ago, more seldom. */
const READ_EVERY_MS = 5_000;
const READ_PREVIEW_EVERY_MS = 60_000;

export interface SourceQualityDeps extends Pick<Upstreams, 'marketData' | 'packets'> {
  readonly dataHealth: Pick<DataHealthWatch, 'current'>;
  readonly now: () => number;
}

/** How good each source is, by channel. The preview tells it as it was 600 s ago. */
export function getSourceQuality(
  { marketData, packets, dataHealth, now }: SourceQualityDeps,
  preview = false,
): Handler<'getSourceQuality'> {
  const read = keptFor(preview ? READ_PREVIEW_EVERY_MS : READ_EVERY_MS, now, async () => {
    const [served, catalog] = await Promise.all([servedSymbols(marketData), marketData.call.getCatalog({ asOfMs: 0 })]);
    const read = await Promise.all(
      served.map(async ({ symbol }) => ({ symbol, quality: await symbolQuality(marketData, packets, symbol, catalog) })),
    );
    const withoutRows = read.filter(({ quality }) => quality === null).map(({ symbol }) => symbol);
    return { readMs: now(), served, symbols: read.flatMap(({ quality }) => quality ?? []), withoutRows };
  });
  return async (call) => {
    const { readMs, served, symbols, withoutRows } = await read();
    const notFresh = symbols.filter(({ freshness_state: state }) => state !== 'fresh').map(({ symbol }) => symbol);
    const fields = {
      span_seconds: COVERAGE_SPAN_MS / 1_000,
      symbol_total: symbols.length,
      symbols,
      symbols_without_rows: withoutRows,
      public_preview_route: operationById('getDemoSourceQuality').path,
    };
    const remark = notFresh.length === 0 ? 'Every symbol is fresh.' : `Not fresh: ${notFresh.join(', ')}.`;
    const source = {
      ...serviceSource(served, dataHealth, readMs),
      ...(notFresh.length === 0 ? {} : { state: 'stale' as const }),
      remark,
      preview,
    };
    return jsonRepresentation(dataAnswer(call, source, fields));
  };
}
