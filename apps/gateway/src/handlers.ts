import type { Logger } from '@market-state/logging';
import type { DelayedOperationId } from '../openapi/generated/operations';
import type { PastAnswers } from './caches/answers/past-answers';
import type { LatestSource } from './caches/latest/latest-source';
import type { DataHealthWatch } from './clients/data-health';
import { delayedClock, delayedMarketData, delayedPackets, refuseYoungSpans } from './clients/delayed/delayed-services';
import { delayedSelfChecks } from './clients/self-checks';
import type { Upstreams } from './clients/upstreams';
import type { RunningRelease } from './release/running-release';
import type { SessionCookie } from './routes/account/account-deps';
import * as billing from './routes/account/billing';
import * as keys from './routes/account/keys';
import * as sessions from './routes/account/sessions';
import * as team from './routes/account/team';
import { sendMcpMessage } from './routes/agents/send-mcp-message';
import * as savedSearches from './routes/automation/saved-searches';
import * as watchlists from './routes/automation/watchlists';
import * as webhookMessages from './routes/automation/webhook-messages';
import * as webhooks from './routes/automation/webhooks';
import * as exportJobs from './routes/data/export-jobs';
import * as activeAssetContext from './routes/data/get-active-asset-context';
import * as book from './routes/data/get-book-l2-latest';
import * as catalog from './routes/data/get-catalog';
import * as connectorQuerySpec from './routes/data/get-connector-query-spec';
import * as dataFreshness from './routes/data/get-data-freshness';
import { getDataHealth } from './routes/data/get-data-health';
import * as dataManifest from './routes/data/get-data-manifest';
import * as eventJoinSpec from './routes/data/get-event-join-spec';
import * as liquidations from './routes/data/get-liquidations-context';
import * as packetJoinRecipe from './routes/data/get-packet-join-recipe';
import * as replayWindow from './routes/data/get-replay-window';
import * as candles from './routes/data/list-candles';
import { listGaps } from './routes/data/list-gaps';
import * as latestTrades from './routes/data/list-latest-trades';
import { getStreamManifest, streamData, streamDataReplay } from './routes/data/stream-data';
import { getDemoBuild } from './routes/demo/get-demo-build';
import { listPrices } from './routes/demo/list-prices';
import { keyedPreviews, publicPreviews, publicPreviewSource } from './routes/demo/previews/preview-pages';
import { computeLanes, getPublishedPolicy, labelingPolicy, stateTaxonomy } from './routes/demo/published-policy';
import { getShareBadge, getSharedPacket } from './routes/demo/shared-packets';
import { estimateUsage } from './routes/market-state/estimate-usage';
import * as accuracy from './routes/market-state/get-accuracy';
import * as eventBundle from './routes/market-state/get-event-bundle';
import * as eventEvidence from './routes/market-state/get-event-evidence';
import * as featureQuality from './routes/market-state/get-feature-quality';
import * as l4HistoryRoadmap from './routes/market-state/get-l4-history-roadmap';
import * as latestPacket from './routes/market-state/get-latest';
import * as packetWorkbench from './routes/market-state/get-packet-workbench';
import * as proofStatus from './routes/market-state/get-proof-status';
import * as sourceQuality from './routes/market-state/get-source-quality';
import * as history from './routes/market-state/list-history';
import { listIncidents } from './routes/market-state/list-incidents';
import * as newestViews from './routes/market-state/newest-views';
import { createPacketFeedback, getLabelStability } from './routes/market-state/packet-feedback';
import * as packetReplay from './routes/market-state/replay-packets';
import { getLatencyStatus, getReleaseStatus, getSlaStatus } from './routes/market-state/service-status';
import * as shares from './routes/market-state/shares';
import { simulateTiers } from './routes/market-state/simulate-tiers';
import { streamPackets } from './routes/market-state/stream-packets';
import * as usageReceipts from './routes/market-state/usage-receipts';
import * as eventVerification from './routes/market-state/verify-event';
import { metaHandlers } from './routes/meta/handlers';
import { type HandlerTable, handlersOf, type OperationId, wrapped } from './serving/answers/handler';
import type { AddressSigner } from './serving/http/request-lifetime';
import type { Meter } from './serving/metering/meter';
import type { RequestValidator } from './serving/validation/request-validator';
import type { Streams } from './streams/open-streams';

export interface HandlerDeps {
  readonly upstreams: Upstreams;
  readonly latest: Pick<LatestSource, 'read' | 'newest' | 'notPushed'>;
  readonly views: newestViews.NewestViews;
  readonly quality: featureQuality.QualityFacts;
  readonly past: Pick<PastAnswers, 'wrap'>;
  readonly streams: Streams;
  readonly dataHealth: Pick<DataHealthWatch, 'current'>;
  readonly release: RunningRelease;
  readonly meter: Meter;
  readonly validator: RequestValidator;
  readonly cookie: SessionCookie;
  readonly quoteSecret: string;
  readonly linkSecret: string;
  readonly signer: Pick<AddressSigner, 'sign'>;
  readonly symbolTotal: () => number;
  readonly baseUrl: () => string;
  readonly logger: Logger;
  readonly now: () => number;
}

const { getSavedSearchResults, ...storedSearches } = savedSearches;

/** Reads of packets and rows, which delayed upstreams can answer too. */
const READS = {
  ...activeAssetContext,
  ...book,
  ...candles,
  ...catalog,
  ...connectorQuerySpec,
  ...dataFreshness,
  ...dataManifest,
  ...eventJoinSpec,
  ...latestTrades,
  ...liquidations,
  ...packetJoinRecipe,
  ...replayWindow,
  ...accuracy,
  ...eventBundle,
  ...eventEvidence,
  ...eventVerification,
  ...featureQuality,
  ...history,
  ...l4HistoryRoadmap,
  ...latestPacket,
  ...newestViews,
  ...packetReplay,
  ...packetWorkbench,
  ...proofStatus,
  ...sourceQuality,
};

type Reading = Omit<HandlerDeps, 'latest'> & { readonly latest: Pick<LatestSource, 'read' | 'newest'> };

function reads(deps: Reading) {
  const all = { ...deps.upstreams, ...deps };
  return {
    ...handlersOf(all, READS),
    getLabelStability: getLabelStability(all),
    getStreamManifest: getStreamManifest(all),
    listGaps: listGaps(all.marketData),
  };
}

type ServedOperationId = Exclude<OperationId, 'getLivez' | 'getReadyz'>;

export interface Handlers {
  readonly everyone: HandlerTable<ServedOperationId>;
  /** For operations with `x-sandbox: delayed`, over upstreams delayed by 600 s. */
  readonly sandbox: HandlerTable<DelayedOperationId>;
}

/** A missing handler does not compile. Previews without a key see delayed data. */
export function createHandlers(deps: HandlerDeps): Handlers {
  const { upstreams, streams, logger, now } = deps;
  const all = { ...upstreams, ...deps };
  const clock = delayedClock(now);
  const delayed = {
    ...upstreams,
    marketData: delayedMarketData(upstreams.marketData, clock),
    packets: delayedPackets(upstreams.packets, clock),
    selfChecks: delayedSelfChecks(upstreams.selfChecks, clock),
  };
  const publicSource = publicPreviewSource({ upstreams: delayed, now });
  const delayedDeps = {
    ...deps,
    upstreams: delayed,
    latest: latestPacket.delayedLatest({ ...delayed, clock }),
    publicSource,
    receiptsUpToNow: true,
    quality: featureQuality.createQualityFacts(delayed, now),
    now: clock,
  };
  const delayedReads = reads(delayedDeps);
  const { listHistory, searchEvents } = delayedReads;
  const ofSpans = { listHistory, searchEvents, getLabelStability: delayedReads.getLabelStability, listGaps: delayedReads.listGaps };
  const replay = streamDataReplay(streams.open, { rows: delayedMarketData(upstreams.replayRows, clock), logger });
  return {
    everyone: {
      ...deps.past.wrap(reads(deps)),
      ...handlersOf(all, {
        ...exportJobs,
        ...shares,
        ...usageReceipts,
        getLatencyStatus,
        getReleaseStatus,
        getSlaStatus,
        listIncidents,
        createPacketFeedback,
        estimateUsage,
        simulateTiers,
        sendMcpMessage,
      }),
      streamPackets: streamPackets(streams.open, { hub: streams.packets, packets: upstreams.packets }),
      getDataHealth: getDataHealth(upstreams, deps.latest, now),
      streamData: streamData(streams.open, { rows: upstreams.replayRows, hubs: streams.hubs, packets: streams.packets, logger }),
      streamDataReplay: streamDataReplay(streams.open, { rows: upstreams.replayRows, logger }),
      ...handlersOf(all, { ...storedSearches, ...watchlists, ...webhooks, ...webhookMessages }),
      getSavedSearchResults: getSavedSearchResults(upstreams, now),
      getDemoBuild: getDemoBuild(deps.release),
      listPrices: listPrices(),
      getLabelingPolicy: getPublishedPolicy(labelingPolicy, deps),
      getStateTaxonomy: getPublishedPolicy(stateTaxonomy, deps),
      getComputeLanes: getPublishedPolicy(computeLanes, deps),
      getSharedPacket: getSharedPacket(upstreams),
      getShareBadge: getShareBadge(upstreams),
      ...publicPreviews({ ...deps, publicSource }),
      ...keyedPreviews({ ...deps, publicSource, receiptsUpToNow: false }),
      getDemoRelease: getReleaseStatus(deps, true),
      getDemoProof: proofStatus.getProofStatus({ ...all, ...delayed, now: clock }, true),
      getDemoSourceQuality: sourceQuality.getSourceQuality({ ...all, ...delayed, now: clock }, true),
      ...metaHandlers(all),
      ...handlersOf(all, { ...billing, ...keys, ...sessions, ...team }),
    },
    sandbox: {
      ...delayedReads,
      ...wrapped(ofSpans, refuseYoungSpans(clock)),
      ...keyedPreviews(delayedDeps),
      streamDataReplay: async (call) => ({ ...(await replay(call)), delayed: true }),
    },
  };
}
