import { marketData } from '@market-state/contracts';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import type { RpcDeps } from './deps';
import { followMarket } from './follow-market';
import { getAccuracy } from './get-accuracy';
import { getActiveAsset } from './get-active-asset';
import { getBook } from './get-book';
import { getCatalog } from './get-catalog';
import { getDataHealth } from './get-data-health';
import { getFreshness } from './get-freshness';
import { getLiquidations } from './get-liquidations';
import { getRejections } from './get-rejections';
import { getRights } from './get-rights';
import { getSourceRows } from './get-source-rows';
import { listCandles } from './list-candles';
import { listChannelDays } from './list-channel-days';
import { listGaps } from './list-gaps';
import { listIncidents } from './list-incidents';
import { listInstruments } from './list-instruments';
import { listTrades } from './list-trades';
import { planSpan } from './plan-span';
import { readWindow } from './read-window';
import { streamLogEntries } from './stream-log-entries';
import { streamReplay } from './stream-replay';
import { streamRows } from './stream-rows';
import { streamStoredRows } from './stream-stored-rows';
import { watchDataHealth } from './watch-data-health';

export function bindMarketDataService(deps: RpcDeps): BoundService {
  const handlers = {
    listInstruments,
    getBook,
    listTrades,
    listCandles,
    getFreshness,
    getDataHealth,
    watchDataHealth,
    streamLogEntries,
    readWindow,
    getSourceRows,
    streamReplay,
    streamRows,
    followMarket,
    listGaps,
    listChannelDays,
    getAccuracy,
    listIncidents,
    planSpan,
    streamStoredRows,
    getActiveAsset,
    getLiquidations,
    getCatalog,
    getRights,
    getRejections,
  };
  return bindService(marketData.MarketDataServiceService, withDeps(deps, handlers));
}
