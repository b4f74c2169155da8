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

export type TapePacket = Allowed<Packet, typeof TAPE_FIELDS>;

/** Reduces a packet to its tape fields. */
export function tapePacketOf(packet: Packet): TapePacket {
  return allowedFields(packet, TAPE_FIELDS);
}

/** Packet on the tape, with its log position. */
export interface TapeEntry {
  readonly packet: TapePacket;
  readonly windowEndMs: number;
  /** Position in the symbol's packet log, increasing by 1. */
  readonly sequence: number;
  /** Log entry that closed the window; null if not recorded. */
  readonly observationId: string | null;
  /** True if the body matches its stored digest and is chained to the previous packet on the tape, if any. */
  readonly verified: boolean;
}
