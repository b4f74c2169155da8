import { account } from '@market-state/contracts';
import { notFound } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';
import type { Queryable } from '@market-state/postgres';
import { lengthFaults, refuseFaults, idFaults, optionalIdFaults } from '@market-state/request-checks';
import * as accounts from '../../accounts/claim';
import type { ClaimDeps } from '../../accounts/claim';
import { emailFaults } from '../../accounts/email';
import { passwordFaults } from '../../accounts/password-rules';
import { callerOf, readNetwork, toProtoOpened, toProtoPlan, toProtoRole, toProtoTerms } from './wire';
import { SESSION_IDLE_MS } from '../../accounts/sessions';
import { findOpenSessions, type OpenSession } from '../../store/sessions';
import { findTenantWithAccount, type OwnAccount, readDisabled } from '../../store/tenants';
import { type PlanTerms, planTermsOf } from '../../credits/plan-terms';

export async function getTenantStanding(
  deps: { readonly pool: Queryable },
  { tenantId }: account.GetTenantStandingRequest,
): Promise<account.GetTenantStandingResponse> {
  refuseFaults(idFaults('tenant_id', tenantId));
  const disabled = await readDisabled(deps.pool, tenantId);
  if (disabled === null) throw notFound('unknown_tenant', 'There is no such tenant.');
  return { disabled };
}

interface Me {
  readonly tenantName: string;
  readonly planId: string | null;
  readonly terms: PlanTerms | null;
  readonly account: OwnAccount | null;
  readonly sessions: readonly OpenSession[];
}

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
    secondFactorEnabled: me.account?.hasFactor ?? false,
    role: me.account === null ? account.MemberRole.UNSPECIFIED : toProtoRole(me.account.role),
    sessions: me.sessions.map(({ sessionId, digest: sessionDigest, createdTsMs, lastUsedTsMs, expiresTsMs }) => ({
      sessionId,
      sessionDigest,
      createdTsMs,
      lastUsedTsMs,
      expiresTsMs,
    })),
    ...(me.terms === null ? {} : { terms: toProtoTerms(me.terms) }),
  };
}

const SECRET_LENGTH_MAX = 512;

export async function claim(deps: ClaimDeps, request: account.ClaimRequest, context: CallContext): Promise<account.ClaimResponse> {
  const { email, password, apiKey, claimToken } = request;
  const { network, faults } = readNetwork(request.address);
  refuseFaults([
    ...emailFaults('email', email),
    ...passwordFaults('password', password, email),
    ...lengthFaults('api_key', apiKey, 0, SECRET_LENGTH_MAX),
    ...lengthFaults('claim_token', claimToken, 0, SECRET_LENGTH_MAX),
    ...faults,
  ]);
  const opened = await accounts.claim(deps, { email, password, apiKey, claimToken, caller: callerOf(network, context) });
  if (opened === null) {
    deps.logger.info({ address: network }, 'claim awaits email verification');
    return { verificationSent: true, mailToFolder: deps.mailToFolder };
  }
  deps.logger.info({ account_id: opened.accountId, tenant_id: opened.tenantId }, 'account claimed');
  return { opened: toProtoOpened(opened), verificationSent: false, mailToFolder: deps.mailToFolder };
}
