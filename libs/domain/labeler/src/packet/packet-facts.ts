import type { Facts } from '../policy/fact';
import type { Policy } from '../policy/policy';
import type { LaneRead, PacketRead } from '../read';
import { guidanceOf } from './guidance';
import { marketFacts } from './market-facts';
import { tagChange } from './tag-change';

/** Every fact of stages `market` and `packet`: what reasons, rule tables and sentences may read. */
export function packetFacts(read: PacketRead, policy: Policy): Facts {
  const { added, removed } = tagChange(read, policy);
  const facts: Facts = {
    ...marketFacts(read, policy),
    novelty_score: read.novelty,
    transition_type: read.transitionType,
    diagnosis_class: read.diagnosisClass,
    tags_added: added,
    tags_removed: removed,
    tags_added_total: added.length,
    tags_removed_total: removed.length,
    packets_before: read.lineage.packetsBefore,
    ...laneFacts('short_window', read.lanes.shortWindow, read),
    ...laneFacts('session_regime', read.lanes.sessionRegime, read),
    ...laneFacts('historical_replay', read.lanes.historicalReplay, read),
    ...laneFacts('event_lineage', read.lanes.eventLineage, read),
  };
  const guidance = guidanceOf(facts, policy);
  return {
    ...facts,
    source_quality_class: guidance.source_quality_class,
    evidence_quality_class: guidance.evidence_quality_class,
    route_recommendation: guidance.route_recommendation,
    automation_status: guidance.automation_status,
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
