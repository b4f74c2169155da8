import type { account } from '@market-state/contracts';
import { toUtc } from '../http/utc';

/** What stands in place of a tenant in public. */
const SHOWN_TENANT = 'demo_tenant';

/** A receipt as anyone may see it: what a call cost, without who made it or by what id it could be asked for. */
export function showPublicReceipt({ receiptId, planId, priced, status, servedTsMs }: account.ShownReceipt) {
  if (priced === undefined) throw new Error(`receipt ${receiptId} is not whole`);
  const marketStateDelta = priced.observedMarketStateCredits - priced.estimatedMarketStateCredits;
  const exportDelta = priced.observedExportCredits - priced.estimatedExportCredits;
  return {
    row_type: 'credit_spend_receipt',
    receipt_id: receiptId,
    method: priced.method,
    endpoint: priced.route,
    status,
    served_at_utc: toUtc(servedTsMs),
    workload_family: priced.workloadFamily,
    price_version: priced.priceVersion,
    plan_id: planId,
    tenant_id: SHOWN_TENANT,
    estimated_market_state_credit_cost: priced.estimatedMarketStateCredits,
    observed_market_state_credit_cost: priced.observedMarketStateCredits,
    estimated_export_credit_cost: priced.estimatedExportCredits,
    observed_export_credit_cost: priced.observedExportCredits,
    market_state_credit_delta: marketStateDelta,
    export_credit_delta: exportDelta,
    estimate_delta_state: marketStateDelta === 0 && exportDelta === 0 ? 'matched' : 'under_estimate',
    billing_event_state: priced.observedMarketStateCredits > 0 || priced.observedExportCredits > 0 ? 'posted' : 'not_charged',
    invoice_mutation_allowed: false,
    overage_charge_allowed: false,
    payment_collection_allowed: false,
    produced_artifacts: [],
    call_to_artifact_flow: [
      { step: 'call', id: `${priced.method} ${priced.route}` },
      { step: 'receipt', id: receiptId },
    ],
    review_artifact_ids: [],
  };
}

export type PublicReceipt = ReturnType<typeof showPublicReceipt>;
