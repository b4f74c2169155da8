import type { Logger } from '@market-state/logging';
import type { LatestSource } from '../../caches/latest/latest-source';
import type { DataHealthWatch } from '../../clients/data-health';
import type { Upstreams } from '../../clients/upstreams';
import type { Streams } from '../../streams/open-streams';
import { getActiveAssetContext } from './get-active-asset-context';
import { getBookL2Latest } from './get-book-l2-latest';
import { getCatalog } from './get-catalog';
import { getConnectorQuerySpec } from './get-connector-query-spec';
import { getDataCondition, getDataFreshness } from './get-data-freshness';
import { getDataHealth } from './get-data-health';
import { getDataManifest, getDataRights } from './get-data-manifest';
import { getEventJoinSpec } from './get-event-join-spec';
import { getLiquidationsContext } from './get-liquidations-context';
import { getPacketJoinRecipe } from './get-packet-join-recipe';
import { getReplayWindow } from './get-replay-window';
import { listCandles } from './list-candles';
import { listGaps } from './list-gaps';
import { listLatestTrades } from './list-latest-trades';
import { getStreamManifest, streamData, streamDataReplay } from './stream-data';

export interface DataReadDeps {
  readonly upstreams: Upstreams;
  readonly dataHealth: Pick<DataHealthWatch, 'current'>;
  /** Base address used in specs and recipes. */
  readonly baseUrl: () => string;
  readonly now: () => number;
}

export function dataReads({ upstreams, dataHealth, baseUrl, now }: DataReadDeps) {
  const { marketData } = upstreams;
  return {
    getBookL2Latest: getBookL2Latest(marketData),
    listLatestTrades: listLatestTrades(marketData),
    listCandles: listCandles(marketData),
    getActiveAssetContext: getActiveAssetContext(marketData),
    getLiquidationsContext: getLiquidationsContext(marketData),
    getReplayWindow: getReplayWindow(marketData),
    listGaps: listGaps(marketData),
    getDataCondition: getDataCondition(marketData),
    getDataFreshness: getDataFreshness(marketData),
    getCatalog: getCatalog(upstreams, dataHealth, now),
    getDataManifest: getDataManifest(marketData, dataHealth, now),
    getStreamManifest: getStreamManifest(marketData, dataHealth, now),
    getDataRights: getDataRights(marketData, dataHealth, now),
    getConnectorQuerySpec: getConnectorQuerySpec(marketData, baseUrl, now),
    getEventJoinSpec: getEventJoinSpec(upstreams, baseUrl),
    getPacketJoinRecipe: getPacketJoinRecipe(upstreams, baseUrl),
  };
}

export interface DataStreamDeps {
  readonly upstreams: Upstreams;
  readonly latest: Pick<LatestSource, 'notPushed'>;
  readonly streams: Streams;
  readonly logger: Logger;
  readonly now: () => number;
}

/** Row streams, and reads that are only valid for the present. */
export function liveData({ upstreams, latest, streams, logger, now }: DataStreamDeps) {
  return {
    getDataHealth: getDataHealth(upstreams, latest, now),
    streamData: streamData(streams.open, { rows: upstreams.replayRows, hubs: streams.hubs, packets: streams.packets, logger }),
    streamDataReplay: streamDataReplay(streams.open, { rows: upstreams.replayRows, logger }),
  };
}
