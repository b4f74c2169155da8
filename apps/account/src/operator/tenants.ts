import { notFound } from '@market-state/errors';
import { inTransaction, type Queryable } from '@market-state/postgres';
import type { Pool } from 'pg';
import { grantPlan, type PlanOrder } from '../credits';
import { newId } from '../keys/id';
import { readOverview, type TenantOverview } from '../store/tenant-overviews';
import { findTenantByName, insertTenant, writeDisabled } from '../store/tenants';

/** What the operator's work on tenants needs. */
export interface TenantDeps {
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
