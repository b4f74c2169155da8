import { accountAnswer } from '../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../serving/answers/handler';
import type { AccountDeps } from './account-deps';
import { fromAccount } from './body-faults';

export function revokeKey({ keys }: AccountDeps): Handler<'revokeKey'> {
  return async (call) => {
    const keyId = call.input.path.key_id;
    await fromAccount(keys.call.revokeKey({ tenantId: grantOf(call).tenantId, keyId }));
    return accountAnswer(call, { key_id: keyId, revoked: true }, 'The key is revoked.');
  };
}
