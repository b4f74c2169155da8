import type { Queryable } from '@market-state/postgres';
import { findTenantWithAccount } from '../store/tenants';
import { type PlanTerms, planTermsOf } from '../credits';

/** The tenant behind a credential, and the account when it is a session. */
export interface Me {
  readonly tenantName: string;
  readonly planId: string | null;
  /** Null for a tenant without a plan. */
  readonly terms: PlanTerms | null;
  readonly account: { readonly email: string; readonly createdTsMs: number; readonly isEmailVerified: boolean } | null;
}

/** Null when there is no such tenant, or `accountId` (null for a key) is none of its accounts. */
export async function readMe(db: Queryable, tenantId: string, accountId: string | null, nowMs: number): Promise<Me | null> {
  const tenant = await findTenantWithAccount(db, tenantId, accountId);
  if (tenant === null || (accountId !== null && tenant.account === null)) return null;
  const { name: tenantName, plan, account } = tenant;
  return { tenantName, planId: plan.planId, terms: planTermsOf(plan, nowMs), account };
}
