import type { Packet } from '@market-state/labeler';

/**
 * Fields of `T` that may be shown: `true` for a value or a list of values, a one-element list for a list of objects.
 */
export type FieldsOf<T> = T extends readonly (infer Item)[]
  ? Item extends object
    ? readonly [FieldsOf<Item>]
    : true
  : T extends object
    ? { readonly [Key in keyof T]?: FieldsOf<NonNullable<T[Key]>> }
    : true;

/** `T` reduced to the fields named in `Fields`. */
export type Allowed<T, Fields> = T extends null | undefined
  ? T
  : Fields extends true
    ? T
    : Fields extends readonly [infer Inner]
      ? T extends readonly (infer Item)[]
        ? readonly Allowed<Item, Inner>[]
        : never
      : { readonly [Key in keyof Fields & keyof T]: Allowed<T[Key], Fields[Key]> };

function isValue(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function pick(value: unknown, fields: unknown): unknown {
  if (fields === true) {
    if (Array.isArray(value)) return value.filter(isValue);
    return isValue(value) ? value : undefined;
  }
  if (Array.isArray(fields)) return Array.isArray(value) ? value.map((item: unknown) => pick(item, fields[0])) : undefined;
  if (typeof value !== 'object' || Array.isArray(value)) return undefined;
  if (value === null) return null;
  const entries = Object.keys(fields as object).map(
    (name) => [name, pick((value as Record<string, unknown>)[name], (fields as Record<string, unknown>)[name])] as const,
  );
  return Object.fromEntries(entries.filter(([, picked]) => picked !== undefined));
}

/**
 * Copies only the listed fields: new fields stay hidden until listed, and an object is dropped where a plain value is
 * listed.
 */
export function allowedFields<T extends object, const Fields extends FieldsOf<T>>(value: T, fields: Fields): Allowed<T, Fields> {
  return pick(value, fields) as Allowed<T, Fields>;
}

const TERM = { label: true } as const;
const SOURCE = { status: true, reason: true, age_ms: true } as const;
const COMPOSITE = { score: true, norm: true, side: true, level: true, watch: true, elevated: true, held: true, leave_at: true } as const;

/** All other fields need a key. */
const PREVIEW_FIELDS = {
  packet_type: true,
  event_id: true,
  symbol: true,
  ts: true,
  scope: {
    symbol: true,
    venue: true,
    market_type: true,
    source_kind: true,
    packet_time_policy: true,
    window_start_utc: true,
    window_end_utc: true,
    window_seconds: true,
  },
  reference_prices: { mid_price: true },
  state: true,
  state_label: true,
  state_age_packets: true,
  state_persistence_seconds: true,
  session_state: { state: true, share: true, packet_total: true, age_packets: true, runner_up: true, runner_up_share: true },
  transition_type: true,
  event_class: true,
  event_profile: true,
  market_read_direction: true,
  event_severity: {
    score: true,
    severity_class: true,
    threshold_crossing_total: true,
    basis: true,
    movement_bps: true,
    bounds: { elevated: true, high: true, critical: true, source: true },
    claim_boundary: true,
  },
  novelty_score: true,
  contradiction_score: true,
  confidence: {
    label: true,
    score: true,
    terms: { source_support_ratio: true, margin_share: true, sample_share: true, fresh_share: true, evidence_share: true },
  },
  source_quality_class: true,
  packet_producer_lane: true,
  model_assisted: true,
  tags: true,
  reasons: true,
  reason_details: [{ reason_id: true, stance: true, claim: true }],
  client_reason_summary: {
    what_changed: true,
    why_now: true,
    counterevidence: true,
    invalidation_conditions: true,
    next_check: true,
    claim_boundary: true,
  },
  client_readout: { headline: true, read: true, support: true, next_step: true },
  workflow_routes: true,
  replay: { cursor: true, status: true },
  driver_strengths: {
    spread_bps: true,
    visible_depth_imbalance_top1_abs: true,
    visible_depth_imbalance_top3_abs: true,
    visible_depth_imbalance_top5_abs: true,
    recent_trade_count: true,
    trade_imbalance_abs: true,
    large_trade_share: true,
    funding_rate_abs: true,
    open_interest_context_present: true,
    liquidation_event_count: true,
    liquidation_notional_usd: true,
    liquidation_skew_abs: true,
    liquidation_pressure_direction: true,
    queue_fragility_score: true,
    freshness_ms: true,
    lineage_price_move_bps_abs: true,
    lineage_vote_score: true,
    source_resolved_family_total: true,
  },
  packet_lineage_summary: {
    packets_before: true,
    previous_state: true,
    vote_score: true,
    window_event_total: true,
    window_event_totals: { book: true, trade: true, context: true, liquidation: true },
  },
  state_hierarchy: {
    top_level_state: true,
    event_class: true,
    event_profile: true,
    driver: true,
    side_context: { book_side: true, flow_side: true, book_and_flow: true },
    compute_horizon: true,
    producer_lane: true,
  },
  taxonomy_bindings: { taxonomy_version: true, state: TERM, event_class: TERM, event_profile: TERM },
  automation_readiness: { allowed_uses: true, blocked_uses: true, claim_boundary: true, readiness_version: true, status: true },
  calibration_context: {
    calibration_scope: true,
    live_during_calibration: true,
    sample_event_total: true,
    samples_required: true,
    threshold_source: true,
  },
  packet_quality: {
    quality_class: true,
    quality_score: true,
    source_support_ratio: true,
    state_margin: true,
    contradiction_score: true,
    gap_flags: true,
    gap_seconds: true,
    live_during_calibration: true,
    not_a_signal: true,
  },
  state_decision_trace: {
    trace_version: true,
    winner_state: true,
    runner_up_state: true,
    state_margin: true,
    publication: { published_state: true, rule: true, winner_streak: true, lost_streak: true, streak_required: true },
    composites: {
      pressure: COMPOSITE,
      flow: COMPOSITE,
      fragility: COMPOSITE,
      crowding: COMPOSITE,
      forced_flow: COMPOSITE,
      regime: COMPOSITE,
    },
    market_outcome_claim: true,
    trade_instruction: true,
  },
  state_diagnosis: {
    diagnosis_version: true,
    diagnosis_class: true,
    winner_state: true,
    winner_score: true,
    runner_up_state: true,
    runner_up_score: true,
    state_margin: true,
    crossed_thresholds: [{ feature_id: true, threshold: true, value: true, distance: true, crossed: true, crossing_class: true }],
    evidence_quality_class: true,
    source_support: {
      resolved_families: true,
      partial_families: true,
      resolved_family_total: true,
      partial_family_total: true,
      source_support_ratio: true,
    },
    route_recommendation: true,
    automation_status: true,
    buyer_use: true,
    claim_boundary: true,
  },
  source_status: { book: SOURCE, trades: SOURCE, asset_context: SOURCE, liquidations: SOURCE, candles: SOURCE },
  source_resolution: {
    missing_families: true,
    source_family_total: true,
    late_event_total: true,
  },
  calibration_version: true,
  confidence_policy_version: true,
  labeling_policy_edition: true,
  labeling_policy_version: true,
  reason_template_version: true,
  taxonomy_version: true,
  compute_lane_policy_version: true,
  diagnosis_version: true,
  trace_version: true,
  claim_boundary: true,
} as const satisfies FieldsOf<Packet>;

export type PreviewPacket = Allowed<Packet, typeof PREVIEW_FIELDS>;

export function previewPacketOf(packet: Packet): PreviewPacket {
  return allowedFields(packet, PREVIEW_FIELDS);
}
