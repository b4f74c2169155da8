import { isServiceError, ServiceError } from '@market-state/errors';
import { inTransaction } from '@market-state/postgres';
import { findAccountByEmail, replacePassword } from '../store/accounts';
import type { AccountsDeps, OpenedSession } from './deps';
import { accountDigests } from './email';
import { openAccountSession } from './open-account-session';
import { beginLogin } from './login-attempt';
import type { PasswordCaller } from './password-work';
import { isOutdated } from './passwords';

export interface LoginOrder {
  readonly email: string;
  readonly password: string;
  readonly caller: PasswordCaller;
}

/**
 * Opens a session for the right password. An unknown email takes the same work and gets the same answer as a wrong password.
 * @throws ServiceError UNAUTHENTICATED with reason `login_refused`; `too_many_attempts`; `password_work_full`
 */
export async function login(deps: AccountsDeps, order: LoginOrder): Promise<OpenedSession> {
  const attempt = await beginLogin(deps, order.email, order.caller.network);
  const caller = { ...order.caller, isKnown: attempt.isKnownAddress };
  try {
    const account = await findAccountByEmail(deps.pool, accountDigests(order.email));
    const isRight = await deps.passwords.verify(order.password, account?.passwordHash ?? null, caller);
    if (!isRight || account === null) throw loginRefused();
    const newHash = isOutdated(account.passwordHash) ? await deps.passwords.hash(order.password, caller) : account.passwordHash;
    return await inTransaction(deps.pool, async (client) => {
      // A password that was changed since it was compared opens nothing; the account's row is locked from here on.
      if (!(await replacePassword(client, account.id, account.passwordHash, newHash))) throw loginRefused();
      const opened = await openAccountSession(deps, client, account.id, caller.network);
      if (opened === null) throw loginRefused();
      await attempt.succeed(client);
      return opened;
    });
  } catch (error) {
    if (isServiceError(error, 'password_work_full')) await attempt.withdraw(deps.pool);
    throw error;
  }
}

function loginRefused(): ServiceError {
  return new ServiceError({ code: 'UNAUTHENTICATED', reason: 'login_refused', sentence: 'Wrong email or password.' });
}
