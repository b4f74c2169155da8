import { COMPOSITES, type CompositeName } from '@market-state/labeler';
import { type LoggedBrief, packetName } from '../logged-packet';

/** A packet among its neighbours, in one line. */
export function lineageRow(logged: LoggedBrief) {
  const { packet } = logged;
  const { event_id, packet_id, sequence, window_end_utc } = packetName(logged);
  // One literal: a hundred rows are made at a time, and an object that is spread into another takes ten times as long.
  return {
    event_id,
    packet_id,
    sequence,
    window_end_utc,
    state: packet.state,
    winner_state: packet.state_diagnosis.winner_state,
    event_class: packet.event_class,
    event_profile: packet.event_profile,
    market_read_direction: packet.market_read_direction,
    transition_type: packet.transition_type,
    diagnosis_class: packet.state_diagnosis.diagnosis_class,
    state_age_packets: packet.state_age_packets,
    severity_score: packet.event_severity.score,
    severity_class: packet.event_severity.severity_class,
    confidence_score: packet.confidence.score,
    confidence_label: packet.confidence.label,
    novelty_score: packet.novelty_score,
    contradiction_score: packet.contradiction_score,
    quality_score: packet.packet_quality.quality_score,
    source_support_ratio: packet.packet_quality.source_support_ratio,
    gap_flags: packet.packet_quality.gap_flags,
    mid_price: packet.reference_prices.mid_price,
    scores: scoresOf(packet),
  };
}

function scoresOf({ state_decision_trace: { composites } }: LoggedBrief['packet']): Record<CompositeName, number | null> {
  const scores: Partial<Record<CompositeName, number | null>> = {};
  for (const name of COMPOSITES) scores[name] = composites[name].score;
  return scores as Record<CompositeName, number | null>;
}
