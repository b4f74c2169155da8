import { labeling } from '@market-state/contracts';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import type { LabelingDeps } from '../deps';
import type { PacketFeed } from '../packets/packet-feed';
import type { SelfChecks } from '../verify/self-check';
import { createShare } from './create-share';
import { getCheckpoint } from './get-checkpoint';
import { getLatestPacket } from './get-latest-packet';
import { getPacket } from './get-packet';
import { getPacketArchive } from './get-packet-archive';
import { getShare } from './get-share';
import { getStability } from './get-stability';
import { listCheckpoints } from './list-checkpoints';
import { listHeldPackets } from './list-held-packets';
import { listHistory } from './list-history';
import { listIncidents } from './list-incidents';
import { listLatencyDays } from './list-latency-days';
import { listNeighbours } from './list-neighbours';
import { listPackets } from './list-packets';
import { listSelfChecks } from './list-self-checks';
import { listShares } from './list-shares';
import { listSigningKeys } from './list-signing-keys';
import { listWindowMonths } from './list-window-months';
import { planPacketSpan } from './plan-packet-span';
import { recordFeedback } from './record-feedback';
import { recordGatewayMinutes } from './record-gateway-minutes';
import { revokeShare } from './revoke-share';
import { searchEvents } from './search-events';
import { streamPackets } from './stream-packets';
import { verifyEvent } from './verify-event';

/** What the RPCs use. */
export interface RpcDeps extends LabelingDeps {
  readonly feed: PacketFeed;
  readonly selfChecks: SelfChecks;
  /** Every symbol that is served. */
  readonly symbols: readonly string[];
  /** Those that this process labels. */
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
