import { COMPOSITES, type CompositeName } from '@market-state/labeler';
import { WINDOW_MS } from '@market-state/market-data';
import { type LoggedBrief, packetName } from './packet-brief';

export function lineageRow(logged: LoggedBrief) {
  const { packet } = logged;
  const { event_id, packet_id, sequence, window_end_utc } = packetName(logged);
  // One literal: spreading one object into another takes ten times as long.
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

/**
 * One row per packet whose published state, event class or event profile differs from the previous packet's, with the
 * counted tags that appeared or disappeared. The first packet yields no row.
 */
export function transitionRows(packets: readonly LoggedBrief[]) {
  return packets.flatMap((logged) => {
    const { changed, transition_type, ts, ...packet } = logged.packet;
    const { state, event_class, event_profile } = changed;
    if (!state.changed && !event_class.changed && !event_profile.changed) return [];
    const { event_id, packet_id, sequence } = packetName(logged);
    return [
      {
        event_id,
        packet_id,
        sequence,
        event_time_utc: ts,
        transition_type,
        from_state: state.previous,
        to_state: packet.state,
        from_event_class: event_class.previous,
        to_event_class: packet.event_class,
        from_event_profile: event_profile.previous,
        to_event_profile: packet.event_profile,
        changed_tags: { added: changed.tags_added, removed: changed.tags_removed },
      },
    ];
  });
}

const SENTENCES = {
  before: (found: number, wanted: number) => {
    if (found === 0) return 'No earlier packet is stored.';
    return found === wanted
      ? `All ${wanted} packets before it are stored.`
      : `Only ${found} of the ${wanted} packets before it are stored.`;
  },
  after: (found: number, wanted: number) => {
    if (found === 0) return 'No packet has followed it yet.';
    return found === wanted ? `All ${wanted} packets after it are stored.` : `${found} of ${wanted} packets have followed it so far.`;
  },
} as const;

/** Packets on one side of another, oldest first, with the number found and a sentence about it. */
export function adjacentPacketsView(side: 'before' | 'after', packets: readonly LoggedBrief[], wanted: number) {
  const found = packets.length;
  return {
    packet_total_wanted: wanted,
    packet_total: found,
    complete: found === wanted,
    sentence: SENTENCES[side](found, wanted),
    rows: packets.map(lineageRow),
  };
}

export function missingBetween(packets: readonly LoggedBrief[]) {
  return packets.slice(1).flatMap((later, index) => {
    const before = packets[index];
    if (before === undefined) return [];
    const missing = (later.windowEndMs - before.windowEndMs) / WINDOW_MS - 1;
    if (missing <= 0) return [];
    return [
      {
        after_event_id: before.packet.event_id,
        before_event_id: later.packet.event_id,
        after_window_end_utc: before.packet.ts,
        before_window_end_utc: later.packet.ts,
        missing_packet_total: missing,
      },
    ];
  });
}
