import { account } from '@market-state/contracts';
import { accountAnswer } from '../../serving/answers/account-answer';
import { toProtoScopes } from '../../serving/auth/grant';
import { grantOf, type Handler } from '../../serving/answers/handler';
import type { AccountDeps } from './account-deps';
import { fromAccount } from './body-faults';
import { ceilingOf, credentialDigestOf, expiryOf, rateOf } from './key-request';
import { KEY_SHOWN_ONCE, showKey } from './show-key';

export function createKey({ keys, now }: AccountDeps): Handler<'createKey'> {
  return async (call) => {
    const body = call.input.body;
    const made = await fromAccount(
      keys.call.createKey({
        tenantId: grantOf(call).tenantId,
        name: body.name,
        kind: body.kind === 'test' ? account.KeyKind.TEST : account.KeyKind.LIVE,
        scopes: toProtoScopes(body.scopes),
        expiresTsMs: expiryOf(body.expires_at),
        creditCeiling: ceilingOf(body.credit_ceiling),
        callsPerMinute: rateOf(body.rate_limit),
        credentialDigest: credentialDigestOf(call),
        ...call.ownTry,
      }),
    );
    return accountAnswer(call, { key: made.key, record: showKey(made.record, now()) }, KEY_SHOWN_ONCE);
  };
}
