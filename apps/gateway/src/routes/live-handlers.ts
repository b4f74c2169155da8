import type { DataHealthWatch } from '../clients/data-health';
import type { Upstreams } from '../clients/upstreams';
import type { LatestSource } from '../boards/latest-source';
import type { RunningRelease } from '../release/running-release';
import { eventRoutes } from './market-state/event-routes';
import { getActiveAsset } from './data/get-active-asset';
import { getBook } from './data/get-book';
import { getCatalog } from './data/get-catalog';
import { getConnectorQuerySpec } from './data/get-connector-query-spec';
import { getDataHealth } from './data/get-data-health';
import { getDataManifest } from './data/get-data-manifest';
import { getEventJoinSpec } from './data/get-event-join-spec';
import { getFreshness } from './data/get-freshness';
import { getL4HistoryRoadmap } from './market-state/get-l4-history-roadmap';
import { getLatest } from './market-state/get-latest';
import { getLiquidations } from './data/get-liquidations';
import { getPacketJoinRecipe } from './data/get-packet-join-recipe';
import { getProofStatus } from './market-state/get-proof-status';
import { getReplayWindow } from './data/get-replay-window';
import { getRights } from './data/get-rights';
import { getSourceQuality } from './market-state/get-source-quality';
import type { Handler } from '../serving/handlers/handler';
import { listCandles } from './data/list-candles';
import { listGaps } from './data/list-gaps';
import { listTrades } from './data/list-trades';
import { packetRoutes } from './market-state/packet-routes';

export interface HandlerDeps {
  readonly upstreams: Upstreams;
  readonly latest: Pick<LatestSource, 'read' | 'newest'>;
  readonly dataHealth: Pick<DataHealthWatch, 'current'>;
  readonly release: RunningRelease;
  /** Address that specs and recipes send a reader to. */
  readonly baseUrl: () => string;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
}

/** The handler of each live operation by its id, but for the streams; probes are served apart. */
export function liveHandlers({ upstreams, latest, dataHealth, release, baseUrl, now }: HandlerDeps): Readonly<Record<string, Handler>> {
  const { marketData } = upstreams;
  return {
    getLatest: getLatest(latest),
    getBookL2Latest: getBook(marketData),
    listLatestTrades: listTrades(marketData),
    listCandles: listCandles(marketData),
    getActiveAssetContext: getActiveAsset(marketData),
    getLiquidationsContext: getLiquidations(marketData),
    getReplayWindow: getReplayWindow(marketData),
    listGaps: listGaps(marketData),
    getDataFreshness: getFreshness(marketData),
    getDataHealth: getDataHealth(upstreams, now),
    getCatalog: getCatalog(upstreams, dataHealth, now),
    getDataManifest: getDataManifest(marketData, dataHealth, now),
    getProofStatus: getProofStatus({ ...upstreams, dataHealth, release, now }),
    getSourceQuality: getSourceQuality({ ...upstreams, dataHealth, now }),
    getL4HistoryRoadmap: getL4HistoryRoadmap(upstreams, dataHealth, now),
    getDataRights: getRights(marketData, dataHealth, now),
    getConnectorQuerySpec: getConnectorQuerySpec(marketData, baseUrl, now),
    getEventJoinSpec: getEventJoinSpec(upstreams, baseUrl),
    getPacketJoinRecipe: getPacketJoinRecipe(upstreams, baseUrl),
    ...eventRoutes(upstreams, now),
    ...packetRoutes({ upstreams, latest, now }),
  };
}
