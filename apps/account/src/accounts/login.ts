import { isServiceError, ServiceError } from '@market-state/errors';
import { inTransaction } from '@market-state/postgres';
import type { AccountsDeps, OpenedSession } from './deps';
import { openAccountSession } from './open-account-session';
import { findAccount, type StoredAccount } from './find-account';
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
  const { caller } = order;
  const attempt = await beginLogin(deps, order.email, caller.network);
  try {
    const account = await findAccount(deps.pool, order.email);
    const isRight = await deps.passwords.verify(order.password, account?.passwordHash ?? null, caller);
    if (!isRight || account === null) throw loginRefused();
    const newHash = isOutdated(account.passwordHash) ? await deps.passwords.hash(order.password, caller) : account.passwordHash;
    return await inTransaction(deps.pool, async (client) => {
      if (!(await holdPassword(client, account, newHash))) throw loginRefused();
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

/** Writes the hash again; false when the password was changed since it was compared. Holds the account's row until the transaction ends. */
async function holdPassword(db: Pick<AccountsDeps['pool'], 'query'>, account: StoredAccount, newHash: string): Promise<boolean> {
  const { rowCount } = await db.query('UPDATE account SET password_hash = $3 WHERE id = $1 AND password_hash = $2', [
    account.id,
    account.passwordHash,
    newHash,
  ]);
  return rowCount === 1;
}

function loginRefused(): ServiceError {
  return new ServiceError({ code: 'UNAUTHENTICATED', reason: 'login_refused', sentence: 'Wrong email or password.' });
}
