import { z } from 'zod';
import { fields, integer, text } from './types';

/** The route flags of a listing that carries access. */
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

/** The envelope that every response object carries. */
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

/** The usage receipt. */
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
