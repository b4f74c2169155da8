import { COMPOSITES, type Packet, SOURCE_FAMILIES } from '@market-state/labeler';

function byName<K extends string, T>(names: readonly K[], value: (name: K) => T): Record<K, T> {
  return Object.fromEntries(names.map((name) => [name, value(name)])) as Record<K, T>;
}

/**
 * Packet fields that views of nearby packets read, under a fifth of its size. A packet is accepted wherever a brief is,
 * with the same result. Labeling stores briefs: to change the fields, add a migration that empties that column.
 */
export function briefOf(packet: Packet) {
  const reasons: readonly Pick<Packet['reason_details'][number], 'reason_id' | 'stance' | 'claim'>[] = packet.reason_details.map(
    ({ reason_id, stance, claim }) => ({ reason_id, stance, claim }),
  );
  const { changed, state_decision_trace: trace, source_resolution: resolution, packet_quality: quality } = packet;
  return {
    packet_id: packet.packet_id,
    event_id: packet.event_id,
    ts: packet.ts,
    state: packet.state,
    state_age_packets: packet.state_age_packets,
    transition_type: packet.transition_type,
    event_class: packet.event_class,
    event_profile: packet.event_profile,
    market_read_direction: packet.market_read_direction,
    novelty_score: packet.novelty_score,
    contradiction_score: packet.contradiction_score,
    event_severity: { score: packet.event_severity.score, severity_class: packet.event_severity.severity_class },
    confidence: { score: packet.confidence.score, label: packet.confidence.label },
    state_diagnosis: { winner_state: packet.state_diagnosis.winner_state, diagnosis_class: packet.state_diagnosis.diagnosis_class },
    packet_quality: {
      quality_score: quality.quality_score,
      source_support_ratio: quality.source_support_ratio,
      gap_flags: quality.gap_flags,
    },
    reference_prices: { mid_price: packet.reference_prices.mid_price },
    calibration_context: { live_during_calibration: packet.calibration_context.live_during_calibration },
    changed: {
      state: changed.state,
      event_class: changed.event_class,
      event_profile: changed.event_profile,
      tags_added: changed.tags_added,
      tags_removed: changed.tags_removed,
    },
    driver_strengths: packet.driver_strengths,
    reason_details: reasons,
    state_decision_trace: {
      composites: byName(COMPOSITES, (name) => ({ score: trace.composites[name].score })),
      imbalances: { price_move_bps: trace.imbalances.price_move_bps },
    },
    source_status: byName(SOURCE_FAMILIES, (family) => ({
      status: packet.source_status[family].status,
      reason: packet.source_status[family].reason,
    })),
    source_resolution: { not_available: resolution.not_available, late_event_total: resolution.late_event_total },
  };
}

export type PacketBrief = ReturnType<typeof briefOf>;

interface LogPosition {
  readonly windowEndMs: number;
  readonly sequence: number;
}

export interface LoggedPacket extends LogPosition {
  readonly packet: Packet;
}

/** A packet in brief or in full, with its position. */
export interface LoggedBrief extends LogPosition {
  readonly packet: PacketBrief;
}

export function packetName({ packet, sequence }: LoggedBrief) {
  return { event_id: packet.event_id, packet_id: packet.packet_id, sequence, window_end_utc: packet.ts };
}
