import type { CompiledLane } from '../policy/rules';
import type { LaneEntry } from '../policy/content';
import type { Facts, FactSet } from '../policy/facts';
import type { Policy } from '../policy/policy';
import type { LaneRead, PacketRead, StateName } from '../read';
import { utc } from './sources';

export interface ComputeLane {
  readonly lane_id: string;
  readonly horizon: string;
  readonly latency_budget_ms: number;
  readonly blocking_latest_route: boolean;
  readonly as_of_utc: string;
  readonly freshness_ms: number;
  readonly confidence: { readonly label: string; readonly score: number };
  readonly staleness_policy: string;
  readonly state: StateName;
  readonly state_label: string;
  readonly sample_total: number;
  readonly state_share: number;
  readonly numbers: Readonly<Record<string, number>>;
  readonly reasons: readonly string[];
  readonly tags: readonly string[];
}

export function computeLanes(read: PacketRead, policy: Policy): readonly ComputeLane[] {
  return policy.lanes.flatMap((lane) => {
    const laneRead = laneReadOf(lane.entry.lane_id, read);
    return laneRead === null ? [] : [computeLane(lane, laneRead, read, policy)];
  });
}

function pendingLanes(read: PacketRead, policy: Policy): readonly string[] {
  return policy.lanes.map((lane) => lane.entry.lane_id).filter((laneId) => laneReadOf(laneId, read) === null);
}

function laneReadOf(laneId: string, read: PacketRead): LaneRead | null {
  switch (laneId) {
    case 'hot_path':
      return hotPath(read);
    case 'short_window':
      return read.lanes.shortWindow;
    case 'session_regime':
      return read.lanes.sessionRegime;
    case 'historical_replay':
      return read.lanes.historicalReplay;
    case 'event_lineage':
      return read.lanes.eventLineage;
    default:
      throw new Error(`no lane ${laneId}`);
  }
}

/** The hot path's state is the raw winner, its numbers the packet's. */
function hotPath(read: PacketRead): LaneRead {
  return {
    asOfMs: read.windowEndMs,
    state: read.decision.winner,
    confidence: { score: read.confidence.score, label: read.confidence.label },
    sampleTotal: 1,
    stateShare: 1,
    numbers: {},
  };
}

function computeLane(lane: CompiledLane, laneRead: LaneRead, read: PacketRead, policy: Policy): ComputeLane {
  const { entry } = lane;
  const numbers = knownNumbers(entry, laneRead, read);
  const facts = laneFacts(laneRead, numbers, read);
  return {
    lane_id: entry.lane_id,
    horizon: entry.horizon,
    latency_budget_ms: entry.latency_budget_ms,
    blocking_latest_route: entry.blocking_latest_route,
    as_of_utc: utc(laneRead.asOfMs),
    freshness_ms: read.windowEndMs - laneRead.asOfMs,
    confidence: { label: laneRead.confidence.label, score: laneRead.confidence.score },
    staleness_policy: entry.staleness_policy,
    state: laneRead.state,
    state_label: policy.taxonomy.term('states', laneRead.state).label,
    sample_total: laneRead.sampleTotal,
    state_share: laneRead.stateShare,
    numbers,
    reasons: lane.claims.every(facts),
    tags: lane.tags.flatMap((rule) => rule(facts)),
  };
}

function knownNumbers(entry: LaneEntry, laneRead: LaneRead, read: PacketRead): LaneRead['numbers'] {
  const known = Object.entries(laneRead.numbers).filter(([name, value]) => {
    const composite = entry.left_out_without[name];
    if (composite !== undefined && !read.composites[composite].available) return false;
    return value !== 0 || !entry.left_out_when_zero.includes(name);
  });
  return Object.fromEntries(known);
}

function laneFacts(laneRead: LaneRead, numbers: LaneRead['numbers'], read: PacketRead): Facts {
  const facts: FactSet = {
    lane_state: laneRead.state,
    lane_state_share: laneRead.stateShare,
    lane_sample_total: laneRead.sampleTotal,
    lane_freshness_ms: read.windowEndMs - laneRead.asOfMs,
    lane_confidence_score: laneRead.confidence.score,
    lane_confidence_label: laneRead.confidence.label,
  };
  for (const [name, value] of Object.entries(numbers)) facts[`lane_${name}`] = value;
  return facts;
}

export interface LaneEnrichmentBoundary {
  readonly label_lane_id: string;
  readonly blocking_lane_ids: readonly string[];
  readonly enrichment_lane_ids: readonly string[];
  readonly pending_lane_ids: readonly string[];
}

export function laneEnrichmentBoundary(read: PacketRead, policy: Policy): LaneEnrichmentBoundary {
  const pending = pendingLanes(read, policy);
  const entries = policy.lanes.map((lane) => lane.entry);
  return {
    label_lane_id: policy.producerLane,
    blocking_lane_ids: entries.filter((entry) => entry.blocking_latest_route).map((entry) => entry.lane_id),
    enrichment_lane_ids: entries
      .filter((entry) => !entry.blocking_latest_route && !pending.includes(entry.lane_id))
      .map((entry) => entry.lane_id),
    pending_lane_ids: pending,
  };
}
