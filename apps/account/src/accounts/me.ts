import type { Queryable } from '@market-state/postgres';
import { SESSION_IDLE_MS } from '../sessions/session';
import { findOpenSessions, type OpenSession } from '../store/sessions';
import { findTenantWithAccount } from '../store/tenants';
import { type PlanTerms, planTermsOf } from '../credits';

/** The tenant behind a credential, and the account when it is a session. */
export interface Me {
  readonly tenantName: string;
  readonly planId: string | null;
  /** Null for a tenant without a plan. */
  readonly terms: PlanTerms | null;
  readonly account: { readonly email: string; readonly createdTsMs: number; readonly isEmailVerified: boolean } | null;
  /** Newest first; none for a key. */
  readonly sessions: readonly OpenSession[];
}

/** Null when there is no such tenant, or `accountId` (null for a key) is none of its accounts. */
export async function readMe(db: Queryable, tenantId: string, accountId: string | null, nowMs: number): Promise<Me | null> {
  const tenant = await findTenantWithAccount(db, tenantId, accountId);
  if (tenant === null || (accountId !== null && tenant.account === null)) return null;
  const { name: tenantName, plan, account } = tenant;
  const sessions = accountId === null ? [] : await findOpenSessions(db, accountId, nowMs, nowMs - SESSION_IDLE_MS);
  return { tenantName, planId: plan.planId, terms: planTermsOf(plan, nowMs), account, sessions };
}
