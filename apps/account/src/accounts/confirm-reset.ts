import { invalidArgument, isServiceError, ServiceError } from '@market-state/errors';
import { inTransaction } from '@market-state/postgres';
import { endSessionsOf } from '../sessions/end-sessions';
import { takeStampBack } from '../store/throttle-rows';
import type { AccountsDeps } from './deps';
import { rememberAddress } from './known-address';
import { passwordFaults } from './password-rules';
import { findReset, useReset } from './reset-token';
import { limitedSubject, takeAttempt } from './take-attempt';
import { tooManyAttempts } from './too-many-attempts';

export interface ConfirmOrder {
  readonly resetToken: string;
  readonly newPassword: string;
  /** As limits count it. */
  readonly network: string;
}

/**
 * Sets a new password, once for each token, and ends every session of the account.
 * @returns the account
 * @throws ServiceError UNAUTHENTICATED with reason `reset_refused`; INVALID_ARGUMENT, which leaves the token good; `too_many_attempts`;
 * `password_work_full`
 */
export async function confirmReset(deps: AccountsDeps, order: ConfirmOrder): Promise<string> {
  const { pool, limits, clock } = deps;
  const address = limitedSubject('address', order.network, limits.address);
  const stampMs = clock();
  const waitMs = await inTransaction(pool, (client) => takeAttempt(client, [address], stampMs));
  if (waitMs > 0) throw tooManyAttempts(waitMs);
  try {
    const reset = await findReset(pool, order.resetToken, clock());
    if (reset === null) throw resetRefused();
    const faults = passwordFaults('new_password', order.newPassword, reset.email);
    if (faults.length > 0) throw invalidArgument(faults);
    const passwordHash = await deps.passwords.hash(order.newPassword);
    await inTransaction(pool, async (client) => {
      if (!(await useReset(client, order.resetToken, clock()))) throw resetRefused();
      await client.query('UPDATE account SET password_hash = $2 WHERE id = $1', [reset.accountId, passwordHash]);
      await endSessionsOf(client, reset.accountId);
      // Whoever reads the account's mail is its owner: an attack on the account does not keep this address waiting.
      await rememberAddress(client, reset.accountId, order.network, clock());
      await takeStampBack(client, [address], stampMs);
    });
    return reset.accountId;
  } catch (error) {
    if (!isServiceError(error, 'reset_refused')) await takeStampBack(pool, [address], stampMs);
    throw error;
  }
}

function resetRefused(): ServiceError {
  return new ServiceError({ code: 'UNAUTHENTICATED', reason: 'reset_refused', sentence: 'The reset token is not good: it was used, replaced by a newer one, or is too old.' });
}
