import { secretDigest } from '@market-state/credentials';
import type { AccountDeps } from './account-deps';
import type { Handler } from '../../serving/handlers/handler';
import { accountAnswer } from '../../serving/answers/account-answer';
import { fromAccount } from './body-faults';
import { showKey } from './show-key';
import { sessionOpened } from './sign-in';

export function claimAccount({ signIn, cookie }: AccountDeps): Handler<'claimAccount'> {
  return async (call) => {
    const { email, password, api_key, claim_token } = call.input.body;
    const { opened, verificationSent } = await fromAccount(
      signIn.call.claim({ email, password, apiKey: api_key, claimToken: claim_token, address: call.address }),
    );
    if (verificationSent)
      return accountAnswer(call, { verification_sent: true }, 'A mail is on its way to this address. Follow its link to continue.');
    return sessionOpened(call, cookie, opened, { verification_sent: false });
  };
}

export function logIn({ signIn, cookie }: AccountDeps): Handler<'logIn'> {
  return async (call) => {
    const { email, password } = call.input.body;
    const { opened } = await fromAccount(signIn.call.login({ email, password, address: call.address }));
    return sessionOpened(call, cookie, opened);
  };
}

/** Ends the session that came with the call; a key is not ended by logging out. */
export function logOut({ people, cookie }: AccountDeps): Handler<'logOut'> {
  return async (call) => {
    const session = call.credential?.kind === 'session' ? call.credential.secret : null;
    if (session !== null) await people.call.logout({ sessionDigest: secretDigest(session) });
    const answer = accountAnswer(
      call,
      { session_ended: session !== null },
      session === null ? 'A key has no session to end.' : 'The session has ended.',
    );
    return { ...answer, headers: { 'Set-Cookie': cookie.clear() } };
  };
}

export function requestPasswordReset({ people }: AccountDeps): Handler<'requestPasswordReset'> {
  return async (call) => {
    const { email } = call.input.body;
    await fromAccount(people.call.requestPasswordReset({ email, address: call.address }));
    return accountAnswer(call, { accepted: true }, 'If an account has this address, a mail is on its way to it.');
  };
}

export function confirmPasswordReset({ signIn, cookie, now }: AccountDeps): Handler<'confirmPasswordReset'> {
  return async (call) => {
    const { reset_token, new_password } = call.input.body;
    const done = await fromAccount(
      signIn.call.confirmPasswordReset({ resetToken: reset_token, newPassword: new_password, address: call.address }),
    );
    const fields = {
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
function ofTakenBack({
  revoked_keys,
  closed_accounts,
  moved_to_tenant_id,
}: {
  readonly revoked_keys: readonly object[];
  readonly closed_accounts: readonly string[];
  readonly moved_to_tenant_id: string | null;
}): string {
  if (moved_to_tenant_id !== null)
    return ' The trial that the account was in belongs to another account; yours has an empty tenant of its own now.';
  if (revoked_keys.length + closed_accounts.length === 0) return '';
  return ' What was made before this email was verified no longer works: the keys and accounts that are listed.';
}
