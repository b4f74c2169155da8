import { newId } from '@market-state/credentials';
import { notFound, failedPrecondition, type ServiceError } from '@market-state/errors';
import { inTransaction, type Queryable } from '@market-state/postgres';
import { grantPlan, type PlanOrder, grantCredits } from './credits/grants';
import { listRunningSubscriptions, type RunningSubscription, markSubscriptionEnded } from './store/orders';
import { readOverview, type TenantOverview } from './store/tenant-overviews';
import { findTenantByName, insertTenant, writeDisabled } from './store/tenants';
import type { AccountDeps } from './deps';

type TenantDeps = Pick<AccountDeps, 'pool' | 'clock' | 'randomBytes'>;

export type WantedPlan = Pick<PlanOrder, 'planId' | 'renewal' | 'ownCredits'>;

/** `plan` null leaves the plan of an existing tenant unchanged. */
export function ensureTenant({ pool, clock, randomBytes }: TenantDeps, name: string, plan: WantedPlan | null): Promise<TenantOverview> {
  return inTransaction(pool, async (client) => {
    const nowMs = clock();
    await insertTenant(client, newId('ten', randomBytes), name, nowMs);
    const tenantId = (await findTenantByName(client, name)) ?? '';
    if (plan !== null) await grantPlan(client, tenantId, { ...plan, operationId: null, months: null, nowMs });
    return overviewOf(client, tenantId, nowMs);
  });
}

/**
 * Cancels a subscription immediately; the provider credits the remainder.
 * @throws ServiceError `billing_provider_unavailable`: then it stays active
 */
async function endSubscription({ pool, provider, clock }: ChangePlanDeps, { orderId, subscriptionId }: RunningSubscription): Promise<void> {
  await provider.endSubscription(subscriptionId);
  await markSubscriptionEnded(pool, orderId, clock());
}

export type ChangePlanDeps = TenantDeps & Pick<AccountDeps, 'provider'>;

/**
 * Creates the tenant if needed. A running subscription would still be paid, so it is cancelled first if
 * `endsSubscription` is set, else the change is refused.
 * @throws ServiceError `subscription_running`; `billing_provider_unavailable`
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
    `The tenant pays for ${planId} by subscription (order ${orderId}), which would continue. End it together with ` +
    `the plan change, or have the tenant cancel it in the billing portal.`;
  return failedPrecondition('subscription_running', sentence, { detail: `order ${orderId}` });
}

interface GivenCredits {
  readonly marketState: number;
  readonly export: number;
  readonly expiresMs: number | null;
  readonly note: string;
}

export function giveCredits({ pool, clock, randomBytes }: TenantDeps, tenantId: string, given: GivenCredits): Promise<TenantOverview> {
  return inTransaction(pool, async (client) => {
    const nowMs = clock();
    const credits = { market_state: given.marketState, export: given.export };
    await grantCredits(client, tenantId, {
      source: 'operator',
      operationId: newId('op', randomBytes),
      note: given.note,
      credits,
      expiresMs: given.expiresMs,
      nowMs,
    });
    return overviewOf(client, tenantId, nowMs);
  });
}

/** Disables or enables all access by a tenant's keys and sessions. @throws ServiceError `unknown_tenant` */
export function setTenantDisabled({ pool, clock }: TenantDeps, tenantId: string, isDisabled: boolean): Promise<TenantOverview> {
  return inTransaction(pool, async (client) => {
    await writeDisabled(client, tenantId, isDisabled);
    return overviewOf(client, tenantId, clock());
  });
}

export async function overviewOf(db: Queryable, tenantId: string, nowMs: number): Promise<TenantOverview> {
  const overview = await readOverview(db, tenantId, nowMs);
  if (overview === null) throw notFound('unknown_tenant', 'There is no such tenant.');
  return overview;
}
