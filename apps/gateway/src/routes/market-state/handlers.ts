import type { LatestSource } from '../../caches/latest/latest-source';
import type { DataHealthWatch } from '../../clients/data-health';
import type { Upstreams } from '../../clients/upstreams';
import type { RunningRelease } from '../../release/running-release';
import { handlersOf } from '../../serving/answers/handler';
import { type EstimateDeps, estimateUsage } from './estimate-usage';
import { getAccuracy } from './get-accuracy';
import { getEventBundle } from './get-event-bundle';
import { getEventEvidence, getPostmortem } from './get-event-evidence';
import { getFeatureQuality, type QualityFacts } from './get-feature-quality';
import { getL4HistoryRoadmap } from './get-l4-history-roadmap';
import { getLatest } from './get-latest';
import { getPacketWorkbench } from './get-packet-workbench';
import { getProofStatus } from './get-proof-status';
import { getSourceQuality } from './get-source-quality';
import { listHistory, searchEvents } from './list-history';
import { listIncidents } from './list-incidents';
import * as newestViews from './newest-views';
import { createPacketFeedback, getLabelStability } from './packet-feedback';
import { replayPackets } from './replay-packets';
import { getLatencyStatus, getReleaseStatus, getSlaStatus } from './service-status';
import * as shares from './shares';
import { simulateTiers } from './simulate-tiers';
import { getUsageReceipt, listBalanceHistory, listUsage } from './usage-receipts';
import { verifyEvent } from './verify-event';

export interface PacketReadDeps {
  readonly upstreams: Upstreams;
  readonly latest: Pick<LatestSource, 'read' | 'newest'>;
  readonly views: newestViews.NewestViews;
  readonly quality: QualityFacts;
  readonly dataHealth: Pick<DataHealthWatch, 'current'>;
  readonly release: RunningRelease;
  readonly now: () => number;
}

export function packetReads({ upstreams, latest, views, quality, dataHealth, release, now }: PacketReadDeps) {
  const newest = { upstreams, latest, views, now };
  return {
    getLatest: getLatest(latest),
    replayPackets: replayPackets(upstreams, latest, now),
    listHistory: listHistory(upstreams, now),
    searchEvents: searchEvents(upstreams, now),
    getLabelStability: getLabelStability(upstreams, latest, now),
    verifyEvent: verifyEvent(upstreams, now),
    getEventBundle: getEventBundle(upstreams),
    getEventEvidence: getEventEvidence(upstreams, now),
    getPacketWorkbench: getPacketWorkbench(upstreams, now),
    getPostmortem: getPostmortem(upstreams, now),
    ...handlersOf(newest, newestViews),
    getFeatureQuality: getFeatureQuality({ ...newest, quality }),
    getProofStatus: getProofStatus({ ...upstreams, dataHealth, release, now }),
    getSourceQuality: getSourceQuality({ ...upstreams, dataHealth, now }),
    getAccuracy: getAccuracy({ ...upstreams, dataHealth }),
    getL4HistoryRoadmap: getL4HistoryRoadmap(upstreams, dataHealth, now),
  };
}

export interface UsageDeps extends EstimateDeps, Pick<Upstreams, 'packets' | 'marketData' | 'readFigures'> {
  readonly release: RunningRelease;
}

/** Usage, release and service status, feedback and shares. */
export function usageHandlers(deps: UsageDeps) {
  return {
    listUsage: listUsage(deps, deps.meter, deps.now),
    listBalanceHistory: listBalanceHistory(deps, deps.meter, deps.now),
    estimateUsage: estimateUsage(deps),
    getUsageReceipt: getUsageReceipt(deps, deps.meter),
    simulateTiers: simulateTiers(),
    getReleaseStatus: getReleaseStatus(deps.release),
    listIncidents: listIncidents(deps, deps.now),
    getLatencyStatus: getLatencyStatus(deps.packets, deps.now),
    getSlaStatus: getSlaStatus(deps, deps.now),
    createPacketFeedback: createPacketFeedback(deps.packets),
    ...handlersOf(deps.packets, shares),
  };
}
