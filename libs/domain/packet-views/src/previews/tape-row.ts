import type { TapeEntry, TapePacket } from './tape-packet';

/** Minimum spread and maximum depth in session medians, and minimum share of steps, for a story state. */
const FRICTION = { spreadMedians: 2, depthMedians: 0.5 } as const;
const CHURN_SHARE = 0.5;

const REFINED: ReadonlySet<string> = new Set(['fragile_depth_watch', 'market_state_watch']);

interface StoryState {
  readonly story_state: string;
  readonly story_state_label: string;
}

/**
 * The published state, or a refinement. `friction_building`: spread at least twice and depth at most half the session
 * median. `order_churn_elevated`: best sizes halved in at least half of the steps without trades of that size.
 */
export function storyStateOf({ state, state_label: label, state_decision_trace: trace }: TapePacket): StoryState {
  const { thin = null, wide = null, churn = null } = trace.composites.fragility.terms;
  if (!REFINED.has(state)) return { story_state: state, story_state_label: label };
  // thin is 1 - depth in medians; wide is a quarter of the spread in medians above 1.
  const isWide = wide !== null && wide >= (FRICTION.spreadMedians - 1) / 4;
  const isThin = thin !== null && thin >= 1 - FRICTION.depthMedians;
  if (isWide && isThin) return { story_state: 'friction_building', story_state_label: 'Friction building' };
  if (churn !== null && churn >= CHURN_SHARE) return { story_state: 'order_churn_elevated', story_state_label: 'Order churn elevated' };
  return { story_state: state, story_state_label: label };
}

function tagOf(tags: readonly string[], family: string, horizon: string): string | null {
  return tags.find((tag) => tag.startsWith(`${family}:`) && tag.endsWith(`:${horizon}`)) ?? null;
}

export function titleOf({ packet }: TapeEntry): string {
  return `${storyStateOf(packet).story_state_label}: ${packet.taxonomy_bindings.event_class.label}`;
}

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
