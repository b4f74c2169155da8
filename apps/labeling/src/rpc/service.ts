import { labeling } from '@market-state/contracts';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import type { LabelingDeps } from '../deps';
import type { PacketFeed } from '../packets/packet-feed';
import type { SelfChecks } from '../verify/self-check';
import { createShare, getShare, listShares, revokeShare } from './shares';
import { getCheckpoint, listCheckpoints, listSelfChecks, listSigningKeys, verifyEvent } from './verification';
import { getLatestPacket, getPacketArchive, listNeighbours, planPacketSpan, listPackets, getPacket, streamPackets } from './packets';
import { getStability, listHeldPackets, listHistory, searchEvents } from './events';
import { listIncidents, listWindowMonths, recordGatewayMinutes, listLatencyDays } from './statistics';
import { recordFeedback } from './record-feedback';

export interface RpcDeps extends LabelingDeps {
  readonly feed: PacketFeed;
  readonly selfChecks: SelfChecks;
  readonly symbols: readonly string[];
  readonly labelledSymbols: readonly string[];
}

export function bindLabelingService(deps: RpcDeps): BoundService {
  const handlers = {
    getLatestPacket,
    getPacket,
    getPacketArchive,
    listHeldPackets,
    streamPackets,
    listPackets,
    planPacketSpan,
    listNeighbours,
    listCheckpoints,
    getCheckpoint,
    listSigningKeys,
    searchEvents,
    listHistory,
    getStability,
    recordFeedback,
    createShare,
    listShares,
    revokeShare,
    getShare,
    verifyEvent,
    listSelfChecks,
    recordGatewayMinutes,
    listLatencyDays,
    listWindowMonths,
    listIncidents,
  };
  return bindService(labeling.LabelingServiceService, withDeps(deps, handlers));
}
