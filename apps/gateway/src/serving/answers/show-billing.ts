import { account } from '@market-state/contracts';
import { findPlan, limitsOf, type PlanLimits } from '@market-state/pricing';
import { documentedWord, type Described } from '../openapi/document';
import { toUtc, toUtcOrNull } from '../meta/meta';

export function showLimits(limits: PlanLimits): Described<'PlanLimits'> {
  return {
    in_flight_weight: limits.inFlightWeight,
    streams: limits.streams,
    replays: limits.replays,
    active_keys: limits.activeKeys,
    export_bytes_max: limits.exportBytesMax,
    watchlists: limits.watchlists,
    webhook_endpoints: limits.webhookEndpoints,
    saved_searches: limits.savedSearches,
    active_shares: limits.activeShares,
    messages_per_day: limits.messagesPerDay,
  };
}

const PERIODS = {
  [account.CreditPeriod.UNSPECIFIED]: 'in_all',
  [account.CreditPeriod.IN_ALL]: 'in_all',
  [account.CreditPeriod.DAY]: 'day',
  [account.CreditPeriod.MONTH]: 'month',
} as const;

/** Null for a tenant without a plan. */
export function showPlan(plan: account.Plan | undefined, terms: account.PlanTerms | undefined): Described<'AccountPlan'> | null {
  if (plan === undefined || terms === undefined) return null;
  const { planId, ratePerSecond, burst } = plan;
  return {
    plan_id: planId,
    tier: findPlan(planId)?.tier ?? null,
    rate_per_second: ratePerSecond,
    burst,
    limits: showLimits(limitsOf(planId)),
    credits: { market_state: terms.marketStateCredits, export: terms.exportCredits },
    credit_period: PERIODS[terms.creditPeriod],
    renews_utc: toUtcOrNull(terms.renewsTsMs),
    ends_utc: toUtcOrNull(terms.endsTsMs),
  };
}

const KINDS = [
  { kind: account.CreditKind.MARKET_STATE, name: 'market_state' },
  { kind: account.CreditKind.EXPORT, name: 'export' },
] as const;

export function showBalances(balances: readonly account.Balance[]): Described<'CreditBalance'>[] {
  return KINDS.map(({ kind, name }) => {
    const found = balances.find((balance) => balance.kind === kind);
    return {
      credit_kind: name,
      available: found?.available ?? 0,
      held: found?.held ?? 0,
      leased_to_gateways: found?.leasedToGateways ?? 0,
      spent_today: found?.spentToday ?? 0,
      spent_this_month: found?.spentThisMonth ?? 0,
    };
  });
}

/** Null for a key without a ceiling. */
export function showCeiling(standing: account.CeilingStanding | undefined): Described<'CreditCeiling'> {
  if (standing?.ceiling === undefined) return null;
  const { ceiling, spent, available, resetsTsMs } = standing;
  return { credits: ceiling.credits, window_seconds: ceiling.windowSeconds, spent, available, resets_at_utc: toUtc(resetsTsMs) };
}

const familyNamed = documentedWord('UsageReceipt', 'workload_family');

/** Cost fields of a receipt. Credits are prepaid, so nothing is billed beyond them. */
export function receiptStatistics(priced: account.Priced) {
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
