import type { account } from '@market-state/contracts';
import { findPlan } from '@market-state/pricing';

/** A plan and its rate, as answers show it; null where account told none. */
export function showRates(plan: account.Plan | undefined) {
  if (plan === undefined) return null;
  return { plan_id: plan.planId, tier: findPlan(plan.planId)?.tier ?? null, rate_per_second: plan.ratePerSecond, burst: plan.burst };
}
