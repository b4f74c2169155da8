import { secretDigest } from '@market-state/credentials';
import type { AccountRouteDeps } from './account-routes';
import type { Handler } from '../routes/handler';
import { accountAnswer } from './account-answer';
import { fromAccount } from './body-faults';
import { sessionOpened } from './sign-in';

interface Passwords {
  readonly email: string;
  readonly password: string;
}

export function claimAccount({ people, cookie }: AccountRouteDeps): Handler {
  return async (call) => {
    const { email, password, api_key, claim_token } = call.input.body as Passwords & { readonly api_key: string; readonly claim_token: string };
    const { opened } = await fromAccount(people.call.claim({ email, password, apiKey: api_key, claimToken: claim_token, address: call.address }));
    return sessionOpened(call, cookie, opened);
  };
}

export function logIn({ people, cookie }: AccountRouteDeps): Handler {
  return async (call) => {
    const { email, password } = call.input.body as Passwords;
    const { opened } = await fromAccount(people.call.login({ email, password, address: call.address }));
    return sessionOpened(call, cookie, opened);
  };
}

/** Ends the session that came with the call; a key is not ended by logging out. */
export function logOut({ people, cookie }: AccountRouteDeps): Handler {
  return async (call) => {
    const session = call.credential?.kind === 'session' ? call.credential.secret : null;
    if (session !== null) await people.call.logout({ sessionDigest: secretDigest(session) });
    const answer = accountAnswer(call, { session_ended: session !== null }, session === null ? 'A key has no session to end.' : 'The session has ended.');
    return { ...answer, headers: { 'Set-Cookie': cookie.clear() } };
  };
}

export function requestPasswordReset({ people }: AccountRouteDeps): Handler {
  return async (call) => {
    const { email } = call.input.body as Pick<Passwords, 'email'>;
    await fromAccount(people.call.requestPasswordReset({ email, address: call.address }));
    return accountAnswer(call, { accepted: true }, 'If an account has this address, a mail is on its way to it.');
  };
}

export function confirmPasswordReset({ people, cookie }: AccountRouteDeps): Handler {
  return async (call) => {
    const { reset_token, new_password } = call.input.body as { readonly reset_token: string; readonly new_password: string };
    await fromAccount(people.call.confirmPasswordReset({ resetToken: reset_token, newPassword: new_password, address: call.address }));
    const answer = accountAnswer(call, { password_changed: true }, 'The password is set, and every session of the account has ended: log in with the new one.');
    return { ...answer, headers: { 'Set-Cookie': cookie.clear() } };
  };
}
