import type { account } from '@market-state/contracts';
import { findPlan } from '@market-state/pricing';

/** A tenant's plan with its rate; undefined for a tenant without one. */
export function toProtoPlan(planId: string | null): account.Plan | undefined {
  const plan = planId === null ? undefined : findPlan(planId);
  return plan === undefined ? undefined : { planId: plan.planId, ratePerSecond: plan.rate.perSecond, burst: plan.rate.burst };
}
