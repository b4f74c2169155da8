import type { account } from '@market-state/contracts';
import { notFound } from '@market-state/errors';
import { idFaults, optionalIdFaults, refuseFaults } from '@market-state/request-checks';
import type { Queryable } from '@market-state/postgres';
import { readMe } from '../../accounts/me';
import { toProtoPlan } from '../plan';
import { toProtoTerms } from './wire';

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
