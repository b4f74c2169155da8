import type { Facts, FactSet } from '../policy/fact';
import type { Policy } from '../policy/policy';
import type { LaneRead, PacketRead } from '../read';
import { decideGuidance, type Guidance } from './guidance';
import { tagChange } from './tag-change';

/** What a packet is written from. */
export interface PacketFacts {
  /** Every fact of stages `market` and `packet`: what reasons, rule tables and sentences may read. */
  readonly facts: Facts;
  readonly guidance: Guidance;
}

/** Adds to `market`, the market facts of the read, what the packet adds to them. */
export function packetFacts(read: PacketRead, policy: Policy, market: FactSet): PacketFacts {
  const facts = Object.assign(
    market,
    chainFacts(read, policy),
    laneFacts('short_window', read.lanes.shortWindow, read),
    laneFacts('session_regime', read.lanes.sessionRegime, read),
    laneFacts('historical_replay', read.lanes.historicalReplay, read),
    laneFacts('event_lineage', read.lanes.eventLineage, read),
  );
  return { facts, guidance: decideGuidance(facts, policy) };
}

function chainFacts(read: PacketRead, policy: Policy): Facts {
  const { added, removed } = tagChange(read, policy);
  return {
    novelty_score: read.novelty,
    transition_type: read.transitionType,
    diagnosis_class: read.diagnosisClass,
    tags_added: added,
    tags_removed: removed,
    packets_before: read.lineage.packetsBefore,
  };
}

function laneFacts(laneId: string, lane: LaneRead | null, read: PacketRead): Facts {
  return {
    [`${laneId}_state`]: lane?.state ?? null,
    [`${laneId}_state_share`]: lane?.stateShare ?? null,
    [`${laneId}_sample_total`]: lane?.sampleTotal ?? null,
    [`${laneId}_freshness_ms`]: lane === null ? null : read.windowEndMs - lane.asOfMs,
  };
}
