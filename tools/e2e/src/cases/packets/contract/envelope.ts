import { z } from 'zod';

/** The contract's `string` is never empty. */
export const text = z.string().min(1);

/** A path with an optional query. */
export const route = z.string().regex(/^\/[a-z0-9_.{}/-]+(\?\S+)?$/i);

export const integer = z.int();

export const score = z.number();

/** RFC 3339 in UTC with milliseconds. */
export const utc = z.iso.datetime({ precision: 3 });

/** A non-empty list. */
export function filled<T extends z.ZodType>(item: T): z.ZodArray<T> {
  return z.array(item).min(1);
}

export const fields = z.looseObject;

export const anyObject = z.looseObject({});

export const objectOfText = z.record(z.string(), text);

/** Each fault's path and message; empty if valid. */
export function faultsOf(name: string, schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).map(({ path, message }) => `${[name, ...path].join('.')}: ${message}`);
}

export const accessFlags = { requires_api_key: z.boolean(), metered: z.boolean() };

const responseSemantics = fields({
  contract_id: z.literal('public_response_semantics.v1'),
  response_state: z.enum(['preview', 'delayed_sandbox', 'synthetic', 'recorded_replay', 'live']),
  status_text: text,
  auth_state: z.enum(['pre_key_public', 'api_key', 'account_session']),
  freshness_state: z.enum(['fresh', 'stale', 'missing']),
  availability_state: z.enum(['available', 'partial', 'unavailable']),
  live_current: z.boolean(),
  source_current_only: z.boolean(),
  stale: z.boolean(),
  target_only: z.boolean(),
  ...accessFlags,
  authority_grant_total: z.literal(0),
});

/** Envelope of every response object. */
export const meta = fields({
  api_version: z.literal('1.0'),
  content_type: z.literal('market_context'),
  data_rights: fields({ use: z.literal('derived_market_context') }),
  authority_class: z.literal('market_context_only_authority_zero'),
  claim_boundary: z.literal('not_signal_not_advice_not_execution_not_performance'),
  authority_grant_total: z.literal(0),
  response_semantics: responseSemantics,
  product_scope: fields({ included: text, data_context: text, legal_disclosure: text }),
});

export const usageReceipt = fields({
  row_type: z.literal('credit_spend_receipt'),
  endpoint: text,
  workload_family: text,
  plan_id: text,
  tenant_id: text,
  estimated_market_state_credit_cost: integer,
  observed_market_state_credit_cost: integer,
  estimated_export_credit_cost: integer,
  observed_export_credit_cost: integer,
  market_state_credit_delta: integer,
  export_credit_delta: integer,
  estimate_delta_state: z.enum(['matched', 'under_estimate']),
  billing_event_state: z.enum(['posted', 'not_charged']),
  invoice_mutation_allowed: z.literal(false),
  overage_charge_allowed: z.literal(false),
  payment_collection_allowed: z.literal(false),
  produced_artifacts: z.array(z.unknown()),
  call_to_artifact_flow: z.unknown().refine((value) => value !== undefined, 'is missing'),
  review_artifact_ids: z.array(text),
});

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** Release status. Times unknown to a build from source are null. */
export const releaseStatus = fields({
  api_version: z.literal('v1'),
  status: text,
  public_release_fingerprint: sha256,
  public_expected_release_fingerprint: sha256,
  version_match_state: z.literal('current'),
  version_drift_check_available: z.literal(true),
  version_drift_detected: z.literal(false),
  release_state: z.literal('ready'),
  release_recorded_at_utc: utc.nullable(),
  build_time_utc: utc.nullable(),
  release_contract_generated_at_utc: utc.nullable(),
  static_site_artifact_version: text.nullable(),
  openapi_hash: sha256,
  docs_hash: sha256,
  site_content_parity_state: text,
  openapi_public_path_total: integer.positive(),
  runtime_openapi_path_total: integer.positive(),
  openapi_path_count_delta: z.literal(0),
  openapi_path_count_match_state: text,
  openapi_json_route: route,
  openapi_json_routes: filled(route),
  customer_safe: z.literal(true),
  release_evidence_available: z.boolean(),
  ...accessFlags,
  public_preview_route: route,
});
