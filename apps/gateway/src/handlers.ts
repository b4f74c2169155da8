import type { Logger } from '@market-state/logging';
import type { DelayedOperationId } from '../openapi/generated/operations';
import type { PastAnswers } from './caches/answers/past-answers';
import type { LatestSource } from './caches/latest/latest-source';
import type { DataHealthWatch } from './clients/data-health';
import { delayedClock, delayedMarketData, delayedPackets } from './clients/delayed/delayed-services';
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
import { dataReads, liveData } from './routes/data/handlers';
import { streamDataReplay } from './routes/data/stream-data';
import { getDemoBuild } from './routes/demo/get-demo-build';
import { listPrices } from './routes/demo/list-prices';
import { keyedPreviews, publicPreviews, publicPreviewSource } from './routes/demo/previews/preview-pages';
import { computeLanes, getPublishedPolicy, labelingPolicy, stateTaxonomy } from './routes/demo/published-policy';
import { getShareBadge, getSharedPacket } from './routes/demo/shared-packets';
import { createQualityFacts, type QualityFacts } from './routes/market-state/get-feature-quality';
import { delayedLatest } from './routes/market-state/get-latest';
import { getProofStatus } from './routes/market-state/get-proof-status';
import { getSourceQuality } from './routes/market-state/get-source-quality';
import { packetReads, usageHandlers } from './routes/market-state/handlers';
import type { NewestViews } from './routes/market-state/newest-views';
import { getReleaseStatus } from './routes/market-state/service-status';
import { streamPackets } from './routes/market-state/stream-packets';
import { metaHandlers } from './routes/meta/handlers';
import { type HandlerTable, handlersOf, type OperationId } from './serving/answers/handler';
import type { AddressSigner } from './serving/http/request-lifetime';
import type { Meter } from './serving/metering/meter';
import type { RequestValidator } from './serving/validation/request-validator';
import type { Streams } from './streams/open-streams';

export interface HandlerDeps {
  readonly upstreams: Upstreams;
  readonly latest: Pick<LatestSource, 'read' | 'newest' | 'notPushed'>;
  readonly views: NewestViews;
  readonly quality: QualityFacts;
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

type ServedOperationId = Exclude<OperationId, 'getLivez' | 'getReadyz'>;

export interface Handlers {
  readonly everyone: HandlerTable<ServedOperationId>;
  /** For operations with `x-sandbox: delayed`, over upstreams delayed by 600 s. */
  readonly sandbox: HandlerTable<DelayedOperationId>;
}

/** A missing handler does not compile. Previews without a key see delayed data. */
export function createHandlers(deps: HandlerDeps): Handlers {
  const { upstreams, streams, dataHealth, release, meter, baseUrl, logger, now } = deps;
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
    latest: delayedLatest({ ...delayed, clock }),
    publicSource,
    receiptsUpToNow: true,
    quality: createQualityFacts(delayed, now),
    now: clock,
  };
  const replay = streamDataReplay(streams.open, { rows: delayedMarketData(upstreams.replayRows, clock), logger });
  return {
    everyone: {
      ...deps.past.wrap({ ...packetReads(deps), ...dataReads(deps) }),
      ...usageHandlers({ ...deps, ...upstreams }),
      streamPackets: streamPackets(streams.open, { hub: streams.packets, packets: upstreams.packets }),
      ...liveData(deps),
      ...handlersOf({ ...upstreams, ...deps }, exportJobs),
      ...handlersOf(upstreams, { ...storedSearches, ...watchlists }),
      getSavedSearchResults: getSavedSearchResults(upstreams, now),
      ...handlersOf({ ...upstreams, streams }, { ...webhooks, ...webhookMessages }),
      sendMcpMessage: sendMcpMessage({ ...upstreams, signer: deps.signer }),
      getDemoBuild: getDemoBuild(release),
      listPrices: listPrices(),
      getLabelingPolicy: getPublishedPolicy(labelingPolicy, deps),
      getStateTaxonomy: getPublishedPolicy(stateTaxonomy, deps),
      getComputeLanes: getPublishedPolicy(computeLanes, deps),
      getSharedPacket: getSharedPacket(upstreams),
      getShareBadge: getShareBadge(upstreams),
      ...publicPreviews({ ...deps, publicSource }),
      ...keyedPreviews({ ...deps, publicSource, receiptsUpToNow: false }),
      getDemoRelease: getReleaseStatus(release, true),
      getDemoProof: getProofStatus({ ...delayed, dataHealth, release, now: clock }, true),
      getDemoSourceQuality: getSourceQuality({ ...delayed, dataHealth, now: clock }, true),
      ...metaHandlers({ packets: upstreams.packets, now }),
      ...handlersOf({ ...upstreams, meter, cookie: deps.cookie, baseUrl, now }, { ...billing, ...keys, ...sessions, ...team }),
    },
    sandbox: {
      ...packetReads(delayedDeps),
      ...dataReads(delayedDeps),
      ...keyedPreviews(delayedDeps),
      streamDataReplay: async (call) => ({ ...(await replay(call)), delayed: true }),
    },
  };
}
