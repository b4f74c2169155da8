import type { account } from '@market-state/contracts';
import { findPlan, limitsOf, type PlanLimits } from '@market-state/pricing';
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
    messages_per_day: limits.messagesPerDay,
  };
}

/** A plan, its rate and its limits, as answers show it; null where account told none. */
export function showRates(plan: account.Plan | undefined): Described<'PlanRates'> | null {
  if (plan === undefined) return null;
  const { planId, ratePerSecond, burst } = plan;
  return {
    plan_id: planId,
    tier: findPlan(planId)?.tier ?? null,
    rate_per_second: ratePerSecond,
    burst,
    limits: showLimits(limitsOf(planId)),
  };
}
