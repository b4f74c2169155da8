import { z } from 'zod';
import { anyObject, fields, filled, integer, objectOfText, score, text, utc } from './envelope';

const CLAIM_BOUNDARY = 'not_signal_not_advice_not_execution_not_performance';

/** Versions named by a packet and by anything about its construction. */
export const versions = {
  calibration_version: z.literal('live_during_calibration.v1'),
  confidence_policy_version: z.literal('source_sample_confidence.v1'),
  labeling_policy_version: z.literal('deterministic_feature_mapping.v1'),
  reason_template_version: z.literal('market_state_reason_templates.v1'),
  taxonomy_version: z.literal('market_state_public_state_taxonomy.v1'),
  compute_lane_policy_version: z.literal('market_state_public_compute_lanes.v1'),
};

const eventSeverity = fields({
  score,
  severity_class: text,
  threshold_crossing_total: integer,
  basis: z.array(text),
  claim_boundary: z.literal(CLAIM_BOUNDARY),
});

const packetQuality = fields({
  quality_class: text,
  quality_score: integer,
  source_support_ratio: score,
  state_margin: score,
  contradiction_score: score,
  gap_flags: z.array(text),
  live_during_calibration: z.boolean(),
  not_a_signal: z.literal(true),
});

const crossedThreshold = fields({
  feature_id: text,
  threshold: score,
  value: score,
  distance: score,
  crossed: z.boolean(),
  crossing_class: z.enum(['crossed', 'near_threshold']),
});

const sourceSupport = fields({
  resolved_families: z.array(text),
  partial_families: z.array(text),
  resolved_family_total: integer,
  partial_family_total: integer,
  source_support_ratio: score,
});

const stateDiagnosis = fields({
  diagnosis_version: z.literal('market_state_public_state_diagnosis.v1'),
  diagnosis_class: z.enum(['competing_state_read', 'active_context_read', 'contested_context_review']),
  winner_state: text,
  winner_score: score,
  runner_up_state: text,
  runner_up_score: score,
  state_margin: score,
  crossed_thresholds: z.array(crossedThreshold),
  evidence_quality_class: text,
  source_support: sourceSupport,
  severity_class: text,
  severity_score: score,
  novelty_score: score,
  contradiction_score: score,
  state_age_packets: integer,
  state_persistence_seconds: score,
  transition_type: text,
  route_recommendation: z.enum(['route_to_review_before_automation', 'route_to_watchlist_and_replay']),
  automation_status: text,
  buyer_use: text,
  claim_boundary: z.literal(CLAIM_BOUNDARY),
});

const driver = score.nullable();

const driverStrengths = fields({
  freshness_ms: driver,
  funding_rate_abs: driver,
  large_trade_share: driver,
  lineage_price_move_bps_abs: driver,
  lineage_vote_score: driver,
  liquidation_event_count: driver,
  liquidation_notional_usd: driver,
  liquidation_pressure_direction: driver,
  liquidation_skew_abs: driver,
  open_interest_context_present: driver,
  queue_fragility_score: driver,
  recent_trade_count: driver,
  source_resolved_family_total: driver,
  spread_bps: driver,
  trade_imbalance_abs: driver,
  visible_depth_imbalance_top1_abs: driver,
  visible_depth_imbalance_top3_abs: driver,
  visible_depth_imbalance_top5_abs: driver,
});

/** Horizon, budget and whether the latest route waits for it; the contract gives only an id for the fifth lane. */
const LANES: Readonly<Record<string, readonly unknown[]>> = {
  hot_path: ['current_snapshot_to_5s', 50, true],
  short_window: ['30s_to_5m', 250, false],
  session_regime: ['15m_to_6h', 2_000, false],
  historical_replay: ['hours_to_days', 10_000, false],
};

/** A lane exists from its first readable instant. */
export const LANE_IDS = [...Object.keys(LANES), 'event_lineage'];

const lane = fields({
  lane_id: z.enum(LANE_IDS),
  horizon: text,
  latency_budget_ms: integer,
  blocking_latest_route: z.boolean(),
  as_of_utc: utc,
  freshness_ms: integer,
  confidence: fields({ label: text, score }),
  staleness_policy: text,
  state: text,
  state_label: text,
  reasons: filled(text),
  tags: z.array(text),
}).superRefine(({ lane_id: id, horizon, latency_budget_ms: budget, blocking_latest_route: blocking }, context) => {
  const own = JSON.stringify([horizon, budget, blocking]);
  if (id in LANES && own !== JSON.stringify(LANES[id])) context.addIssue(`lane ${id} is ${own}`);
});

const reasonDetail = fields({
  reason_id: text,
  reason_family: text,
  compute_lane: text,
  horizon: text,
  claim: text,
  evidence_routes: filled(text),
  supporting_features: filled(text),
});

const tag = z.string().regex(/^[a-z0-9_]+:[a-z0-9_]+(:(hot|short|session|historical|event))?$/);

export const packet = fields({
  packet_type: z.literal('market_state.v1'),
  packet_id: text,
  symbol: z.string().regex(/^[A-Z0-9]+USD-PERP$/),
  state: text,
  state_age_packets: integer,
  state_persistence_seconds: score,
  transition_type: text,
  event_class: text,
  event_profile: text,
  market_read_direction: text,
  event_severity: eventSeverity,
  novelty_score: score,
  contradiction_score: score,
  confidence: z.union([text, anyObject]),
  source_quality_class: text,
  packet_producer_lane: text,
  tags: filled(tag),
  reasons: filled(text),
  workflow_routes: filled(z.enum(['monitor', 'alert', 'agent_brief', 'dashboard', 'research', 'review'])),
  replay: fields({ cursor: text, status: z.literal('ready') }),
  route_guidance: anyObject,
  route_refs: objectOfText,
  client_reason_summary: anyObject,
  driver_strengths: driverStrengths,
  packet_lineage_summary: anyObject,
  packet_sophistication: anyObject,
  state_hierarchy: anyObject,
  taxonomy_bindings: anyObject,
  automation_readiness: fields({
    allowed_uses: filled(text),
    blocked_uses: filled(text),
    claim_boundary: z.literal(CLAIM_BOUNDARY),
    readiness_version: text,
    status: text,
  }),
  calibration_context: fields({
    calibration_scope: text,
    live_during_calibration: z.boolean(),
    sample_event_total: integer,
    threshold_source: text,
  }),
  packet_quality: packetQuality,
  state_decision_trace: fields({
    trace_version: z.literal('packet_input_to_label_trace.v1'),
    winner_state: text,
    candidate_states: filled(anyObject),
    rejected_states: filled(anyObject),
    threshold_crossings: anyObject,
    market_outcome_claim: z.literal('none'),
    trade_instruction: z.literal('none'),
  }),
  state_diagnosis: stateDiagnosis,
  ts: utc,
  changed: anyObject,
  reason_details: filled(reasonDetail),
  compute_lanes: filled(lane),
  source_status: anyObject,
  scope: anyObject,
  source_resolution: anyObject,
  client_readout: anyObject,
  lane_enrichment_boundary: anyObject,
  ...versions,
});

/** Fields of a `latest` row with and without its packet. */
const eventRow = {
  symbol: text,
  event_id: text,
  state: text,
  event_class: text,
  event_profile: text,
  transition_type: text,
  event_severity: eventSeverity,
  novelty_score: score,
  contradiction_score: score,
  source_quality_class: text,
  packet_generated_at_utc: utc,
  packet_producer_lane: text,
  packet_source_lag_ms: integer,
  packet_quality: packetQuality,
  client_reason_summary: anyObject,
  route_guidance: anyObject,
  route_refs: objectOfText,
  state_hierarchy: anyObject,
};

export const latestResponse = fields({
  schema_version: text,
  headline: text,
  customer_next_step: text,
  not_a_signal: z.literal(true),
  packet_freshness: anyObject,
  packet_serving_state: text,
  packet_ref_total: integer,
  packet_refs: filled(anyObject),
  recommended_next_routes: filled(text),
  row_total: integer,
  rows: filled(fields({ ...eventRow, packet })),
});
