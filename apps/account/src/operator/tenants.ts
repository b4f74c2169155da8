import { notFound, failedPrecondition, type ServiceError } from '@market-state/errors';
import { inTransaction, type Queryable } from '@market-state/postgres';
import type { Pool } from 'pg';
import { grantPlan, type PlanOrder, grantCredits } from '../credits';
import { newId } from '../keys/key';
import { readOverview, type TenantOverview } from '../store/tenant-overviews';
import { findTenantByName, insertTenant, writeDisabled } from '../store/tenants';
import { listRunningSubscriptions, type RunningSubscription, markSubscriptionEnded } from '../store/orders';
import type { BillingProvider } from '../billing/provider';

/** What the operator's work on tenants needs. */
interface TenantDeps {
  readonly pool: Pool;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** The plan that a tenant is to have; it does not end. */
export type WantedPlan = Pick<PlanOrder, 'planId' | 'renewal' | 'ownCredits'>;

/** The tenant of that name, made when there is none, with the plan; null leaves the plan as it is. */
export function ensureTenant({ pool, clock, randomBytes }: TenantDeps, name: string, plan: WantedPlan | null): Promise<TenantOverview> {
  return inTransaction(pool, async (client) => {
    const nowMs = clock();
    await insertTenant(client, newId('ten', randomBytes), name, nowMs);
    const tenantId = (await findTenantByName(client, name)) ?? '';
    if (plan !== null) await grantPlan(client, tenantId, { ...plan, operationId: null, months: null, nowMs });
    return overviewOf(client, tenantId, nowMs);
  });
}

interface EndSubscriptionDeps {
  readonly pool: Pool;
  readonly provider: BillingProvider;
  readonly clock: () => number;
}

/**
 * Ends a subscription now, at the provider and here; what was paid for its rest is credited there.
 * @throws ServiceError UNAVAILABLE with reason `billing_provider_unavailable`: then it goes on
 */
async function endSubscription(
  { pool, provider, clock }: EndSubscriptionDeps,
  { orderId, subscriptionId }: RunningSubscription,
): Promise<void> {
  await provider.endSubscription(subscriptionId);
  await markSubscriptionEnded(pool, orderId, clock());
}

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

/** Credits that an operator gives beside the plan. */
interface GivenCredits {
  readonly marketState: number;
  readonly export: number;
  /** Milliseconds since the epoch; null: never. */
  readonly expiresMs: number | null;
  /** Why, for the ledger. */
  readonly note: string;
}

/** @throws ServiceError NOT_FOUND with reason `unknown_tenant` */
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

/** Shuts or opens everything that a tenant's keys and sessions open. @throws ServiceError NOT_FOUND with reason `unknown_tenant` */
export function setTenantDisabled({ pool, clock }: TenantDeps, tenantId: string, isDisabled: boolean): Promise<TenantOverview> {
  return inTransaction(pool, async (client) => {
    await writeDisabled(client, tenantId, isDisabled);
    return overviewOf(client, tenantId, clock());
  });
}

/** @throws ServiceError NOT_FOUND with reason `unknown_tenant` */
export async function overviewOf(db: Queryable, tenantId: string, nowMs: number): Promise<TenantOverview> {
  const overview = await readOverview(db, tenantId, nowMs);
  if (overview === null) throw notFound('unknown_tenant', 'There is no such tenant.');
  return overview;
}
