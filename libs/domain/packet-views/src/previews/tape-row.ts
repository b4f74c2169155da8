import type { Packet } from '@market-state/labeler';
import { type Allowed, allowedFields, type FieldsOf } from './preview-packet';

const SCORE = { score: true } as const;
const LABEL = { label: true } as const;

/** Packet fields stored on the tape: those used to select, list and compare packets. */
const TAPE_FIELDS = {
  event_id: true,
  symbol: true,
  ts: true,
  scope: { venue: true, source_kind: true, packet_time_policy: true, window_start_utc: true, window_end_utc: true },
  reference_prices: { mid_price: true },
  state: true,
  state_label: true,
  state_age_packets: true,
  state_persistence_seconds: true,
  transition_type: true,
  event_class: true,
  event_profile: true,
  event_severity: { score: true, severity_class: true, threshold_crossing_total: true },
  novelty_score: true,
  contradiction_score: true,
  confidence: { label: true, score: true },
  source_quality_class: true,
  tags: true,
  changed: { tags_added: true, tags_removed: true },
  client_readout: { read: true, support: true },
  packet_lineage_summary: { vote_score: true, window_event_totals: { book: true, trade: true, context: true, liquidation: true } },
  taxonomy_bindings: { event_class: LABEL, event_profile: LABEL },
  packet_quality: { quality_class: true, quality_score: true, gap_flags: true },
  state_decision_trace: {
    winner_state: true,
    state_margin: true,
    publication: { rule: true },
    composites: {
      pressure: SCORE,
      flow: SCORE,
      fragility: { score: true, terms: { thin: true, wide: true, churn: true } },
      crowding: SCORE,
      forced_flow: { score: true, side: true, level: true },
      regime: SCORE,
    },
  },
  source_resolution: { missing_families: true },
  state_diagnosis: { source_support: { partial_families: true } },
} as const satisfies FieldsOf<Packet>;

type TapePacket = Allowed<Packet, typeof TAPE_FIELDS>;

export function tapePacketOf(packet: Packet): TapePacket {
  return allowedFields(packet, TAPE_FIELDS);
}

export interface TapeEntry {
  readonly packet: TapePacket;
  readonly windowEndMs: number;
  /** Increases by 1 in the symbol's packet log. */
  readonly sequence: number;
  /** Log entry that closed the window; null if not recorded. */
  readonly observationId: string | null;
  /** True if the body matches its stored digest and is chained to the previous packet on the tape, if any. */
  readonly verified: boolean;
}

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
