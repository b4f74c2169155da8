import type { Upstreams } from '../clients/upstreams';
import type { LatestSource } from '../latest/latest-source';
import { getBook } from './get-book';
import { getDataHealth } from './get-data-health';
import { getFreshness } from './get-freshness';
import { getLatest } from './get-latest';
import { getOpenApi } from './get-openapi';
import type { Handler } from './handler';
import { listCandles } from './list-candles';
import { listTrades } from './list-trades';

/** The handler of each live operation by its id; probes are served apart. */
export function liveHandlers(upstreams: Upstreams, latest: LatestSource, now: () => number): Readonly<Record<string, Handler>> {
  const openApi = getOpenApi();
  return {
    getLatest: getLatest(latest),
    getBookL2Latest: getBook(upstreams.marketData),
    listLatestTrades: listTrades(upstreams.marketData, now),
    listCandles: listCandles(upstreams.marketData, now),
    getDataFreshness: getFreshness(upstreams.marketData),
    getDataHealth: getDataHealth(upstreams.marketData, now),
    getOpenapi: openApi,
    getMarketStateOpenapi: openApi,
    getDocsOpenapi: openApi,
  };
}
