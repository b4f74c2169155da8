import type { account } from '@market-state/contracts';
import { documentedWord } from '../openapi/documented-word';

const familyNamed = documentedWord('UsageReceipt', 'workload_family');

/** What a call was and what it cost, as every receipt tells it. Credits are prepaid: nothing is ever billed beyond them. */
export function receiptFigures(priced: account.Priced) {
  const marketStateDelta = priced.observedMarketStateCredits - priced.estimatedMarketStateCredits;
  const exportDelta = priced.observedExportCredits - priced.estimatedExportCredits;
  const isCharged = priced.observedMarketStateCredits > 0 || priced.observedExportCredits > 0;
  return {
    row_type: 'credit_spend_receipt' as const,
    method: priced.method,
    endpoint: priced.route,
    workload_family: familyNamed(priced.workloadFamily),
    price_version: priced.priceVersion,
    estimated_market_state_credit_cost: priced.estimatedMarketStateCredits,
    observed_market_state_credit_cost: priced.observedMarketStateCredits,
    estimated_export_credit_cost: priced.estimatedExportCredits,
    observed_export_credit_cost: priced.observedExportCredits,
    market_state_credit_delta: marketStateDelta,
    export_credit_delta: exportDelta,
    estimate_delta_state: marketStateDelta === 0 && exportDelta === 0 ? ('matched' as const) : ('under_estimate' as const),
    billing_event_state: isCharged ? ('posted' as const) : ('not_charged' as const),
    invoice_mutation_allowed: false as const,
    overage_charge_allowed: false as const,
    payment_collection_allowed: false as const,
  };
}
