import { z } from 'zod';
import { accessFlags, usageReceipt, anyObject, fields, filled, integer, route, score, text, utc } from './envelope';
import { versions } from './packet';

const CONSTRUCTION_STEPS = [
  'packet_input',
  'derive_features',
  'label_reason_confidence',
  'packet_schema',
  'measurement_boundary',
  'sdk_first_integration',
];
const BROWSER_STEPS = [
  'read_market_packet',
  'inspect_source_and_capture',
  'replay_the_event',
  'check_historical_boundaries',
  'route_to_workflow',
  'estimate_plan_and_boundary',
];
const RECEIPT_ROLES = ['open_current_packet', 'inspect_evidence', 'reopen_context', 'label_feedback'];

function inOrder<T extends z.ZodType<Record<string, unknown>>>(item: T, field: string, ids: readonly string[]) {
  return z
    .array(item)
    .refine((rows) => JSON.stringify(rows.map((row) => row[field])) === JSON.stringify(ids), `${field} must be ${ids.join(', ')}`);
}

const routeAccess = fields({ route: text, access: z.enum(['pre_key', 'after_key']), ...accessFlags });

const constructionStep = fields({
  construction_step_id: text,
  row_id: text,
  row_order: integer,
  row_type: z.literal('public_packet_construction_step'),
  run_id: text,
  title: text,
  buyer_question: text,
  buyer_answer: text,
  packet_view: anyObject,
  proof_points: filled(text),
  route_paths: filled(text),
  generated_at_utc: utc,
});

const featureRead = fields({
  trace_step: z.union([text, integer]),
  input_class: text,
  derived_read: text,
  derived_value: z.unknown().refine((value) => value !== undefined, 'is missing'),
  packet_field: text,
  resulting_tag: text.nullable(),
  threshold_policy: text,
  threshold_source: text,
  evidence_route: text,
});

const inputToLabelTrace = fields({
  trace_id: text,
  trace_version: z.literal('packet_input_to_label_trace.v1'),
  trace_posture: text,
  feature_reads: filled(featureRead),
  label_decision: anyObject,
  packet_input: anyObject,
  route_receipts: inOrder(fields({ receipt_role: text, route: text }), 'receipt_role', RECEIPT_ROLES),
  claim_boundary: z.literal('not_signal_not_advice_not_execution_not_performance'),
});

/** Packet construction, public or authenticated, without the distinguishing fields. */
const construction = {
  run_id: text,
  run_display_label: text,
  row_total: z.literal(CONSTRUCTION_STEPS.length),
  rows: inOrder(constructionStep, 'construction_step_id', CONSTRUCTION_STEPS),
  generated_at_utc: utc,
  public_preview_route: route,
  authenticated_route: route,
  sample_packet: anyObject,
  packet_input: anyObject,
  packet_input_to_label_trace: inputToLabelTrace,
  packet_schema: filled(fields({ field: text, purpose: text })),
  derived_features: z.unknown().refine((value) => value !== undefined, 'is missing'),
  source_resolution: anyObject,
  confidence_lineage: z.union([anyObject, filled(anyObject)]),
  measured_claims: fields({ included_for_preview: filled(z.unknown()), requires_later_sla: filled(z.unknown()) }),
  ...versions,
};

export const publicPacketConstruction = fields({
  ...construction,
  status: z.literal('preview'),
  preview_scope: z.literal('sanitized_packet_construction_only'),
  requires_api_key: z.literal(false),
  metered: z.literal(false),
});

export const packetConstruction = fields({ ...construction, requires_api_key: z.literal(true), metered: z.literal(true) });

const browserStep = fields({
  browser_step_id: text,
  customer_question: text,
  client_answer: text,
  evidence_state: z.enum(['preview', 'ready', 'held']),
  metrics: anyObject,
  next_action: text,
  proof_points: filled(text),
  route_paths: filled(text),
  route_access: filled(routeAccess),
  pre_key_route_total: integer,
  after_key_route_total: integer,
});

const tapeRow = fields({
  event_id: text,
  symbol: text,
  state: text,
  title: text,
  event_time_utc: utc,
  summary: text,
  confidence_score: score,
  confidence_label: text,
  confidence_context: z.union([text, anyObject]),
  source_quality_class: text,
  tags: filled(text),
  forced_flow_pressure: z.unknown().refine((value) => value !== undefined, 'is missing'),
  state_synthesis: z.unknown().refine((value) => value !== undefined, 'is missing'),
  route_paths: filled(text),
  route_access: filled(routeAccess),
});

const tape = fields({
  status: text,
  row_total: integer,
  rows: filled(tapeRow),
  minimum_delay_seconds: z.literal(600),
  max_age_seconds: z.literal(86_400),
  preview_scope: text,
  full_packet_access: z.literal('requires_api_plan_key'),
  latest_live_api_access: z.literal('none_before_key'),
});

const transitionRow = fields({
  event_id: text,
  event_time_utc: utc,
  from_state: text,
  to_state: text,
  from_event_class: text,
  to_event_class: text,
  from_event_profile: text,
  to_event_profile: text,
  changed_tags: z.union([anyObject, z.array(text)]),
});

const timelineRow = fields({
  packet_time_policy: z.literal('source_window_end'),
  source_observation_id: text,
  mid_price: z.union([score, text]).nullable(),
  source_row_counts: anyObject,
});

const lineageStory = fields({
  symbol: text,
  event_id: text,
  title: text,
  summary: text,
  window: fields({ start: utc, end: utc, packet_sequence_total: integer, window_span_seconds: score }),
  lineage_metrics: anyObject,
  lineage_visualization: fields({ expected_interval_seconds: z.literal(10) }),
  transition_rows: z.array(transitionRow),
  provider_tape_excerpt_rows: filled(anyObject),
  timeline_rows: filled(timelineRow),
  stages: fields({ before: z.unknown(), during: z.unknown(), after: z.unknown() }),
  route_paths: filled(text),
  route_access: filled(routeAccess),
  exactness_boundary: z.union([text, anyObject]),
});

/** Proof browser, public or authenticated. A new system may have no receipt to show. */
const browser = {
  run_id: text,
  status: text,
  release_state: z.literal('ready'),
  row_total: z.literal(BROWSER_STEPS.length),
  rows: inOrder(browserStep, 'browser_step_id', BROWSER_STEPS),
  buyer_event_story_cards: filled(anyObject),
  event_story_packets: filled(anyObject),
  credit_spend_receipts: z.array(usageReceipt),
  public_packet_tape: tape,
  public_packet_lineage_stories: filled(lineageStory),
  live_owned_archive_hour_total: integer,
};

export const publicProofBrowser = fields({ ...browser, status: z.literal('preview') });

export const proofBrowser = fields(browser);
