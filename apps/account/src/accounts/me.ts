import type { Queryable } from '@market-state/postgres';
import { periodAt } from '../credits/calendar';
import { findTenantWithAccount, type TenantWithAccount } from '../store/tenants';

/** The tenant behind a credential, and the account when it is a session. */
export interface Me {
  readonly tenantName: string;
  readonly planId: string | null;
  /** Milliseconds since the epoch; null: the plan's credits are not given again. */
  readonly renewsTsMs: number | null;
  readonly account: { readonly email: string; readonly createdTsMs: number; readonly isEmailVerified: boolean } | null;
}

/** Null when there is no such tenant, or `accountId` (null for a key) is none of its accounts. */
export async function readMe(db: Queryable, tenantId: string, accountId: string | null, nowMs: number): Promise<Me | null> {
  const tenant = await findTenantWithAccount(db, tenantId, accountId);
  if (tenant === null || (accountId !== null && tenant.account === null)) return null;
  const { name: tenantName, planId, account } = tenant;
  return { tenantName, planId, renewsTsMs: renewalOf(tenant, nowMs), account };
}

function renewalOf({ renewal, anchorMs, untilMs }: TenantWithAccount, nowMs: number): number | null {
  if (renewal === 'none' || anchorMs === null) return null;
  const { toMs } = periodAt(renewal, anchorMs, nowMs);
  return untilMs !== null && untilMs <= toMs ? null : toMs;
}
