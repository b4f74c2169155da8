import { SCOPES } from '../../serving/auth/grant';
import { toUtc, toUtcOrNull } from '../../serving/meta/utc';
import type { Handler } from '../../serving/handlers/handler';
import { accountAnswer } from '../../serving/answers/account-answer';
import { grantOf } from '../../serving/handlers/grant-of';
import { showRates } from '../../serving/answers/show-plan';
import type { AccountDeps } from './account-deps';
import type { WithoutMeta } from '../../serving/openapi/described';

/** The tenant behind the credential, and the account where it was a session. */
export function getMe({ people }: AccountDeps): Handler<'getMe'> {
  return async (call) => {
    const grant = grantOf(call);
    const me = await people.call.getMe({ tenantId: grant.tenantId, accountId: grant.accountId ?? '' });
    const plan = showRates(me.plan);
    const fields: WithoutMeta<'Me'> = {
      credential: grant.kind === 'key' ? 'api_key' : 'account_session',
      key_id: grant.keyId,
      sandbox: grant.sandbox,
      scopes: SCOPES.filter((scope) => grant.scopes.has(scope)),
      expires_utc: Number.isFinite(grant.expiresMs) ? toUtc(grant.expiresMs) : null,
      tenant: { tenant_id: me.tenantId, name: me.tenantName },
      plan: plan === null ? null : { ...plan, renews_utc: toUtcOrNull(me.planRenewsTsMs) },
      account:
        me.accountId === ''
          ? null
          : { account_id: me.accountId, email: me.email, email_verified: me.emailVerified, created_utc: toUtc(me.accountCreatedTsMs) },
    };
    return accountAnswer(call, fields, grant.kind === 'key' ? 'Authenticated by a key.' : 'Authenticated by a session.');
  };
}
