import { accountAnswer } from '../../serving/answers/account-answer';
import type { Handler } from '../../serving/answers/handler';
import type { AccountDeps } from './account-deps';
import { fromAccount } from './body-faults';
import { showKey } from './show-key';
import type { WithoutMeta } from '../../serving/openapi/described';

export function confirmPasswordReset({ signIn, cookie, now }: AccountDeps): Handler<'confirmPasswordReset'> {
  return async (call) => {
    const { reset_token, new_password } = call.input.body;
    const done = await fromAccount(
      signIn.call.confirmPasswordReset({ resetToken: reset_token, newPassword: new_password, address: call.address }),
    );
    const fields: WithoutMeta<'PasswordChanged'> = {
      password_changed: true,
      ended_session_total: done.endedSessionCount,
      revoked_keys: done.revokedKeys.map((record) => showKey(record, now())),
      closed_accounts: done.closedAccountEmails,
      moved_to_tenant_id: done.movedToTenantId || null,
    };
    const answer = accountAnswer(
      call,
      fields,
      `The password is set, and every session of the account has ended: log in with the new one.${ofTakenBack(fields)}`,
    );
    return { ...answer, headers: { 'Set-Cookie': cookie.clear() } };
  };
}

/** A sentence about what was made before the email was known to be the owner's. */
function ofTakenBack({ revoked_keys, closed_accounts, moved_to_tenant_id }: WithoutMeta<'PasswordChanged'>): string {
  if (moved_to_tenant_id !== null)
    return ' The trial that the account was in belongs to another account; yours has an empty tenant of its own now.';
  if (revoked_keys.length + closed_accounts.length === 0) return '';
  return ' What was made before this email was verified no longer works: the keys and accounts that are listed.';
}
