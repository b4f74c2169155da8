import { secretDigest } from '@market-state/credentials';
import { SCOPES } from '../../serving/auth/grant';
import { toUtc } from '../../serving/meta/instant';
import { type Handler, grantOf } from '../../serving/answers/handler';
import { accountAnswer } from '../../serving/answers/account-answer';
import { showBalances, showPlan } from '../../serving/answers/show-billing';
import type { AccountDeps } from './account-deps';
import type { WithoutMeta } from '../../serving/openapi/described';

/** The tenant behind the credential, and the account where it was a session. */
export function getMe({ people, credits, meter }: AccountDeps): Handler<'getMe'> {
  return async (call) => {
    const grant = grantOf(call);
    const own = call.credential?.kind === 'session' ? Buffer.from(secretDigest(call.credential.secret)) : null;
    const { tenantId } = grant;
    await meter.posted(tenantId);
    const [me, { balances }] = await Promise.all([
      people.call.getMe({ tenantId, accountId: grant.accountId ?? '' }),
      credits.call.getBalances({ tenantId }),
    ]);
    const fields: WithoutMeta<'Me'> = {
      credential: grant.kind === 'key' ? 'api_key' : 'account_session',
      key_id: grant.keyId,
      sandbox: grant.sandbox,
      scopes: SCOPES.filter((scope) => grant.scopes.has(scope)),
      expires_utc: Number.isFinite(grant.expiresMs) ? toUtc(grant.expiresMs) : null,
      tenant: { tenant_id: me.tenantId, name: me.tenantName },
      plan: showPlan(me.plan, me.terms),
      balances: showBalances(balances),
      account:
        me.accountId === ''
          ? null
          : { account_id: me.accountId, email: me.email, email_verified: me.emailVerified, created_utc: toUtc(me.accountCreatedTsMs) },
      sessions: me.sessions.map(({ sessionDigest, createdTsMs, lastUsedTsMs, expiresTsMs }) => ({
        created_utc: toUtc(createdTsMs),
        last_used_utc: toUtc(lastUsedTsMs),
        expires_utc: toUtc(expiresTsMs),
        current: own !== null && own.equals(sessionDigest),
      })),
    };
    return accountAnswer(call, fields, grant.kind === 'key' ? 'Authenticated by a key.' : 'Authenticated by a session.');
  };
}
