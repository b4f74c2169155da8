import { storyStateOf } from './story-state';
import type { TapeEntry } from './tape-packet';

function tagOf(tags: readonly string[], family: string, horizon: string): string | null {
  return tags.find((tag) => tag.startsWith(`${family}:`) && tag.endsWith(`:${horizon}`)) ?? null;
}

/** The title of a packet: its state as stories name it, and what the market shows. */
export function titleOf({ packet }: TapeEntry): string {
  return `${storyStateOf(packet).story_state_label}: ${packet.taxonomy_bindings.event_class.label}`;
}

/** A packet as a row of the public tape. */
export function tapeRow(entry: TapeEntry) {
  const { packet } = entry;
  const { forced_flow } = packet.state_decision_trace.composites;
  const { winner_state, state_margin, publication } = packet.state_decision_trace;
  const { score, severity_class } = packet.event_severity;
  return {
    event_id: packet.event_id,
    symbol: packet.symbol,
    state: packet.state,
    ...storyStateOf(packet),
    title: titleOf(entry),
    event_time_utc: packet.ts,
    summary: `${packet.client_readout.read} Context severity is ${score} (${severity_class.replaceAll('_', ' ')}).`,
    event_class: packet.event_class,
    severity_score: score,
    severity_class,
    confidence_score: packet.confidence.score,
    confidence_label: packet.confidence.label,
    confidence_context: packet.client_readout.support,
    source_quality_class: packet.source_quality_class,
    tags: packet.tags,
    forced_flow_pressure: {
      score: forced_flow.score,
      level: forced_flow.level,
      side: forced_flow.side,
      tag: tagOf(packet.tags, 'forced_flow', 'short'),
    },
    state_synthesis: {
      state: packet.state,
      winner_state,
      state_margin,
      vote_score: packet.packet_lineage_summary.vote_score,
      publication_rule: publication.rule,
      tag: tagOf(packet.tags, 'state_synthesis', 'event'),
    },
  };
}
