import type { Policy } from '../policy/policy';
import { UnknownTermError } from '../policy/taxonomy';
import type { Packet } from './packet';

/** Refuses a packet that holds a word which the taxonomy, or for tags the tag rules, lack. @throws UnknownTermError naming it. */
export function assertTaxonomy(packet: Packet, policy: Policy): void {
  for (const [kind, values] of words(packet)) for (const value of values) policy.taxonomy.term(kind, value);
  for (const tag of packet.tags) if (!policy.tags.possible.has(tag)) throw new UnknownTermError('tags', tag);
  for (const lane of packet.compute_lanes) {
    for (const tag of lane.tags) policy.taxonomy.term('tag_families', tag.slice(0, tag.indexOf(':')));
  }
}

function words(packet: Packet): readonly (readonly [string, readonly string[]])[] {
  const { state_diagnosis: diagnosis, state_decision_trace: trace } = packet;
  return [
    [
      'states',
      [packet.state, diagnosis.winner_state, diagnosis.runner_up_state, ...trace.candidate_states.map((candidate) => candidate.state)],
    ],
    ['states', packet.compute_lanes.map((lane) => lane.state)],
    ['event_classes', [packet.event_class]],
    ['event_profiles', [packet.event_profile]],
    ['directions', [packet.market_read_direction]],
    ['severity_classes', [packet.event_severity.severity_class]],
    ['diagnosis_classes', [diagnosis.diagnosis_class]],
    ['transition_types', [packet.transition_type]],
    ['confidence_labels', [packet.confidence.label, ...packet.compute_lanes.map((lane) => lane.confidence.label)]],
    ['quality_classes', [packet.packet_quality.quality_class]],
    ['source_quality_classes', [packet.source_quality_class]],
    ['evidence_quality_classes', [diagnosis.evidence_quality_class]],
    ['route_recommendations', [diagnosis.route_recommendation]],
    ['automation_statuses', [diagnosis.automation_status]],
    ['workflow_routes', packet.workflow_routes],
    ['gap_flags', packet.packet_quality.gap_flags],
    ['source_families', Object.keys(packet.source_status)],
    ['source_statuses', Object.values(packet.source_status).map((source) => source.status)],
    ['source_kinds', [packet.scope.source_kind]],
    ['drivers', [packet.state_hierarchy.driver, ...packet.event_severity.basis]],
    ['threshold_sources', [packet.calibration_context.threshold_source]],
    ['rejection_reasons', trace.rejected_states.map((state) => state.reason)],
    ['publication_rules', [trace.publication.rule]],
    ['reason_families', packet.reason_details.map((reason) => reason.reason_family)],
    ['tag_families', Object.keys(packet.taxonomy_bindings.tag_families)],
  ];
}
