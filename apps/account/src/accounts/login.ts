import { isServiceError, ServiceError } from '@market-state/errors';
import { inTransaction } from '@market-state/postgres';
import type { AccountsDeps, OpenedSession } from './deps';
import { enter } from './enter';
import { findAccount, type StoredAccount } from './find-account';
import { beginLogin } from './login-attempt';
import { isOutdated } from './passwords';

export interface LoginOrder {
  readonly email: string;
  readonly password: string;
  /** As limits count it. */
  readonly network: string;
}

/**
 * Opens a session for the right password. An unknown email takes the same work and gets the same answer as a wrong password.
 * @throws ServiceError UNAUTHENTICATED with reason `login_refused`; `too_many_attempts`; `password_work_full`
 */
export async function login(deps: AccountsDeps, order: LoginOrder): Promise<OpenedSession> {
  const attempt = await beginLogin(deps, order.email, order.network);
  try {
    const account = await findAccount(deps.pool, order.email);
    const isRight = await deps.passwords.verify(order.password, account?.passwordHash ?? null);
    if (!isRight || account === null) throw loginRefused();
    const newHash = isOutdated(account.passwordHash) ? await deps.passwords.hash(order.password) : account.passwordHash;
    return await inTransaction(deps.pool, async (client) => {
      if (!(await holdPassword(client, account, newHash))) throw loginRefused();
      const opened = await enter(deps, client, account.id, order.network);
      if (opened === null) throw loginRefused();
      await attempt.succeed(client);
      return opened;
    });
  } catch (error) {
    if (isServiceError(error, 'password_work_full')) await attempt.withdraw(deps.pool);
    throw error;
  }
}

/** Writes the hash anew; false when the password was changed since it was compared. Holds the account's row until the transaction ends. */
async function holdPassword(db: Pick<AccountsDeps['pool'], 'query'>, account: StoredAccount, newHash: string): Promise<boolean> {
  const { rowCount } = await db.query('UPDATE account SET password_hash = $3 WHERE id = $1 AND password_hash = $2', [account.id, account.passwordHash, newHash]);
  return rowCount === 1;
}

function loginRefused(): ServiceError {
  return new ServiceError({ code: 'UNAUTHENTICATED', reason: 'login_refused', sentence: 'No account has this email and password.' });
}
