import type { account } from '@market-state/contracts';
import { notFound } from '@market-state/errors';
import { idFaults, optionalIdFaults, refuseFaults } from '@market-state/request-checks';
import type { Queryable } from '@market-state/postgres';
import { toProtoPlan, toProtoTerms } from './wire';
import { SESSION_IDLE_MS } from '../../accounts/sessions';
import { findOpenSessions, type OpenSession } from '../../store/sessions';
import { findTenantWithAccount, readDisabled } from '../../store/tenants';
import { type PlanTerms, planTermsOf } from '../../credits';

export async function getTenantStanding(
  deps: { readonly pool: Queryable },
  { tenantId }: account.GetTenantStandingRequest,
): Promise<account.GetTenantStandingResponse> {
  refuseFaults(idFaults('tenant_id', tenantId));
  const disabled = await readDisabled(deps.pool, tenantId);
  if (disabled === null) throw notFound('unknown_tenant', 'There is no such tenant.');
  return { disabled };
}

/** The tenant behind a credential, and the account when it is a session. */
interface Me {
  readonly tenantName: string;
  readonly planId: string | null;
  /** Null for a tenant without a plan. */
  readonly terms: PlanTerms | null;
  readonly account: { readonly email: string; readonly createdTsMs: number; readonly isEmailVerified: boolean } | null;
  /** Newest first; none for a key. */
  readonly sessions: readonly OpenSession[];
}

/** Null when there is no such tenant, or `accountId` (null for a key) is none of its accounts. */
async function readMe(db: Queryable, tenantId: string, accountId: string | null, nowMs: number): Promise<Me | null> {
  const tenant = await findTenantWithAccount(db, tenantId, accountId);
  if (tenant === null || (accountId !== null && tenant.account === null)) return null;
  const { name: tenantName, plan, account } = tenant;
  const sessions = accountId === null ? [] : await findOpenSessions(db, accountId, nowMs, nowMs - SESSION_IDLE_MS);
  return { tenantName, planId: plan.planId, terms: planTermsOf(plan, nowMs), account, sessions };
}

export async function getMe(
  deps: { readonly pool: Queryable; readonly clock: () => number },
  { tenantId, accountId }: account.GetMeRequest,
): Promise<account.GetMeResponse> {
  refuseFaults([...idFaults('tenant_id', tenantId), ...optionalIdFaults('account_id', accountId)]);
  const me = await readMe(deps.pool, tenantId, accountId === '' ? null : accountId, deps.clock());
  if (me === null) throw notFound('unknown_tenant', 'There is no such tenant.');
  return {
    tenantId,
    tenantName: me.tenantName,
    plan: toProtoPlan(me.planId),
    planRenewsTsMs: me.terms?.renewsMs ?? 0,
    accountId,
    email: me.account?.email ?? '',
    accountCreatedTsMs: me.account?.createdTsMs ?? 0,
    emailVerified: me.account?.isEmailVerified ?? false,
    sessions: me.sessions.map(({ digest: sessionDigest, createdTsMs, lastUsedTsMs, expiresTsMs }) => ({
      sessionDigest,
      createdTsMs,
      lastUsedTsMs,
      expiresTsMs,
    })),
    ...(me.terms === null ? {} : { terms: toProtoTerms(me.terms) }),
  };
}
