import { marketData } from '@market-state/contracts';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import type { RpcDeps } from './deps';
import { followMarket } from './follow-market';
import { getAccuracy } from './get-accuracy';
import { getActiveAsset, getLiquidations, listTrades, getBook } from './current-market';
import { getCatalog, getRights, listInstruments } from './get-catalog';
import { getDataHealth, getFreshness, getRejections, watchDataHealth } from './data-health';
import { getSourceRows } from './get-source-rows';
import { listCandles } from './list-candles';
import { listChannelDays } from './list-channel-days';
import { listGaps } from './list-gaps';
import { listIncidents } from './list-incidents';
import { planSpan, streamStoredRows } from './stored-rows';
import { readWindow } from './read-window';
import { streamLogEntries } from './stream-log-entries';
import { streamReplay } from './stream-replay';
import { streamRows } from './stream-rows';

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
