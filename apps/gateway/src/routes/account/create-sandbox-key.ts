import { accountAnswer } from '../../serving/answers/account-answer';
import type { Handler } from '../../serving/answers/handler';
import type { AccountDeps } from './account-deps';
import { fromAccount } from './body-faults';
import { KEY_SHOWN_ONCE, showKey } from './show-key';

/** A sandbox key for anyone, within the share of the caller's address. */
export function createSandboxKey({ keys, now }: AccountDeps): Handler<'createSandboxKey'> {
  return async (call) => {
    const made = await fromAccount(keys.call.issueSandboxKey({ address: call.address }));
    return accountAnswer(
      call,
      { key: made.key, record: showKey(made.record, now()), calls: made.calls, delay_seconds: 600 },
      KEY_SHOWN_ONCE,
    );
  };
}
