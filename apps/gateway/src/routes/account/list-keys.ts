import { accountAnswer } from '../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../serving/answers/handler';
import type { AccountDeps } from './account-deps';
import { fromAccount } from './body-faults';
import { orNull } from './or-null';
import { showKey } from './show-key';

export function listKeys({ keys, now }: AccountDeps): Handler<'listKeys'> {
  return async (call) => {
    const { limit, cursor } = call.input.query;
    const page = await fromAccount(keys.call.listKeys({ tenantId: grantOf(call).tenantId, limit, cursor }));
    const rows = page.keys.map((record) => showKey(record, now()));
    return accountAnswer(call, { rows, row_total: rows.length, next_cursor: orNull(page.nextCursor) }, 'Keys of the tenant, newest first.');
  };
}
