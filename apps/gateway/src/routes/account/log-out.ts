import { secretDigest } from '@market-state/credentials';
import { accountAnswer } from '../../serving/answers/account-answer';
import type { Handler } from '../../serving/answers/handler';
import type { AccountDeps } from './account-deps';

/** Ends the session that came with the call, or every session of its account; a key is not ended by logging out. */
export function logOut({ people, cookie }: AccountDeps): Handler<'logOut'> {
  return async (call) => {
    const session = call.credential?.kind === 'session' ? call.credential.secret : null;
    const { everywhere } = call.input.query;
    if (session !== null) await people.call.logout({ sessionDigest: secretDigest(session), everywhere });
    const answer = accountAnswer(
      call,
      { session_ended: session !== null },
      session === null ? 'A key has no session to end.' : everywhere ? 'Every session of the account has ended.' : 'The session has ended.',
    );
    return { ...answer, headers: { 'Set-Cookie': cookie.clear() } };
  };
}
