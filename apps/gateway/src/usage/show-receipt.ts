import type { account } from '@market-state/contracts';
import { toUtc } from '../http/utc';

function orNull(text: string): string | null {
  return text === '' ? null : text;
}

/** What led from the call to what it made, in order. */
function flowOf({ requestId, operationId, receiptId }: account.Receipt, artifactIds: readonly string[]) {
  return [
    { step: 'call', id: requestId },
    { step: 'charge', id: operationId },
    ...artifactIds.map((id) => ({ step: 'artifact', id })),
    { step: 'receipt', id: receiptId },
  ];
}

/** A usage receipt as the contract has it, and what it is of. Credits are prepaid: nothing is ever billed beyond them. */
export function showReceipt(receipt: account.Receipt) {
  const { priced, caller } = receipt;
  if (priced === undefined || caller === undefined) throw new Error(`receipt ${receipt.receiptId} is not whole`);
  const marketStateDelta = priced.observedMarketStateCredits - priced.estimatedMarketStateCredits;
  const exportDelta = priced.observedExportCredits - priced.estimatedExportCredits;
  const isCharged = priced.observedMarketStateCredits > 0 || priced.observedExportCredits > 0;
  return {
    row_type: 'credit_spend_receipt',
    receipt_id: receipt.receiptId,
    request_id: receipt.requestId,
    operation_id: receipt.operationId,
    method: priced.method,
    endpoint: priced.route,
    status: receipt.status,
    served_at_utc: toUtc(receipt.servedTsMs),
    workload_family: priced.workloadFamily,
    price_version: priced.priceVersion,
    plan_id: receipt.planId,
    tenant_id: caller.tenantId,
    key_id: orNull(caller.keyId),
    account_id: orNull(caller.accountId),
    estimated_market_state_credit_cost: priced.estimatedMarketStateCredits,
    observed_market_state_credit_cost: priced.observedMarketStateCredits,
    estimated_export_credit_cost: priced.estimatedExportCredits,
    observed_export_credit_cost: priced.observedExportCredits,
    market_state_credit_delta: marketStateDelta,
    export_credit_delta: exportDelta,
    estimate_delta_state: marketStateDelta === 0 && exportDelta === 0 ? 'matched' : 'under_estimate',
    billing_event_state: isCharged ? 'posted' : 'not_charged',
    quote_id: orNull(priced.quoteId),
    invoice_mutation_allowed: false,
    overage_charge_allowed: false,
    payment_collection_allowed: false,
    produced_artifacts: priced.artifactIds.map((artifactId) => ({ artifact_id: artifactId, produced_by: `${priced.method} ${priced.route}` })),
    call_to_artifact_flow: flowOf(receipt, priced.artifactIds),
    review_artifact_ids: [...priced.artifactIds],
  };
}
