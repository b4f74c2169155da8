import { failedPrecondition, type ServiceError } from '@market-state/errors';
import { endSubscription, type EndSubscriptionDeps } from '../billing/end-subscription';
import { listRunningSubscriptions, type RunningSubscription } from '../store/orders';
import type { TenantOverview } from '../store/tenant-overviews';
import { findTenantByName } from '../store/tenants';
import { ensureTenant, type TenantDeps, type WantedPlan } from './tenants';

/** What a change of plan needs beside the tenant. */
export type ChangePlanDeps = TenantDeps & EndSubscriptionDeps;

/**
 * The tenant of that name with that plan, made when there is none. A plan that the operator gives takes the place of one that is paid for,
 * which would go on being paid: its subscription is ended first, where that is asked for, else nothing is changed.
 * @throws ServiceError FAILED_PRECONDITION with reason `subscription_running`; UNAVAILABLE with reason `billing_provider_unavailable`
 */
export async function changePlan(deps: ChangePlanDeps, name: string, plan: WantedPlan, endsSubscription: boolean): Promise<TenantOverview> {
  const tenantId = await findTenantByName(deps.pool, name);
  const running = tenantId === null ? [] : await listRunningSubscriptions(deps.pool, tenantId);
  const [first] = running;
  if (first !== undefined && !endsSubscription) throw subscriptionRunning(first);
  for (const subscription of running) await endSubscription(deps, subscription);
  return ensureTenant(deps, name, plan);
}

function subscriptionRunning({ planId, orderId }: RunningSubscription): ServiceError {
  const sentence =
    `The tenant pays for ${planId} by a subscription (order ${orderId}), which would go on. Ask for its end together with ` +
    `the plan, or let the tenant end it in the billing portal.`;
  return failedPrecondition('subscription_running', sentence, { detail: `order ${orderId}` });
}
