import { COMPOSITES, FEATURE_KEYS, SOURCE_FAMILIES, type Packet } from '@market-state/labeler';
import type { NamedScore } from './kinds';
import type { RuleInput } from './read-stored';

/** Extracts the fields that rules read. `sequence` is the packet's number within its symbol. */
export function toRuleInput(packet: Packet, sequence: number): RuleInput {
  const { packet_quality: quality, source_status: statuses, source_resolution: resolution } = packet;
  const { composites } = packet.state_decision_trace;
  const named: Record<NamedScore, number> = {
    severity_score: packet.event_severity.score,
    confidence_score: packet.confidence.score,
    contradiction_score: packet.contradiction_score,
    novelty_score: packet.novelty_score,
    quality_score: quality.quality_score,
    state_margin: quality.state_margin,
    source_support_ratio: quality.source_support_ratio,
  };
  return {
    symbol: packet.symbol,
    sequence,
    window_end_ms: Date.parse(packet.scope.window_end_utc),
    event_id: packet.event_id,
    state: packet.state,
    event_class: packet.event_class,
    event_profile: packet.event_profile,
    severity_class: packet.event_severity.severity_class,
    scores: {
      ...named,
      ...Object.fromEntries(COMPOSITES.map((name) => [`${name}_norm`, composites[name].norm])),
      ...Object.fromEntries(FEATURE_KEYS.map((name) => [name, packet.driver_strengths[name]])),
    },
    tags: [...packet.tags],
    gap_ids: [...new Set(resolution.gaps.map(({ gap_id: id }) => id))],
    ages_ms: Object.fromEntries(SOURCE_FAMILIES.map((family) => [family, statuses[family].age_ms])),
    replay_cursor: packet.replay.cursor,
    synthetic: packet.scope.source_kind === 'simulated',
  };
}
