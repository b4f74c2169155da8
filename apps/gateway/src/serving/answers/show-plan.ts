import { account } from '@market-state/contracts';
import { findPlan, limitsOf, type PlanLimits } from '@market-state/pricing';
import { toUtcOrNull } from '../meta/utc';
import type { Described } from '../openapi/described';

/** What a plan allows at once, as answers show it. */
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

/** A plan, its rate, its limits, what it gives and until when, as answers show it; null for a tenant without a plan. */
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
