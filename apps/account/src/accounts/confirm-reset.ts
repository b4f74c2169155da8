import { invalidArgument, isServiceError, ServiceError } from '@market-state/errors';
import { inTransaction } from '@market-state/postgres';
import { writePassword } from '../store/accounts';
import { deleteSessionsOf } from '../store/sessions';
import { takeStampBack } from '../store/throttles';
import type { AccountsDeps } from './deps';
import { rememberAddress } from './known-address';
import { type PasswordCaller, refuseWhoHasLeft } from './password-work';
import { passwordFaults } from './password-rules';
import { findReset, useReset } from './reset-token';
import { networkSubjects, takeAttempt } from './take-attempt';
import { tooManyAttempts } from './too-many-attempts';
import { holdTenantOfUnverified, type TakenBack, verifyEmail } from './verify-email';

export interface ConfirmOrder {
  readonly resetToken: string;
  readonly newPassword: string;
  readonly caller: PasswordCaller;
}

/** What a reset has done beside setting the password. */
export interface ConfirmedReset extends TakenBack {
  readonly accountId: string;
  readonly endedSessions: number;
}

/**
 * Sets a new password, once for each token, ends every session of the account and verifies its email. Where that was not verified before,
 * somebody who claimed the account ahead of its owner keeps no way into what is the owner's.
 * @throws ServiceError UNAUTHENTICATED with reason `reset_refused`; INVALID_ARGUMENT, which leaves the token good; `too_many_attempts`;
 * `password_work_full`
 */
export async function confirmReset(deps: AccountsDeps, order: ConfirmOrder): Promise<ConfirmedReset> {
  const { pool, limits, clock } = deps;
  const { network } = order.caller;
  const addresses = networkSubjects('address', network, limits.address);
  const stampMs = clock();
  const waitMs = await inTransaction(pool, (client) => takeAttempt(client, addresses, stampMs));
  if (waitMs > 0) throw tooManyAttempts(waitMs);
  try {
    const reset = await findReset(pool, order.resetToken, clock());
    if (reset === null) throw resetRefused();
    const faults = passwordFaults('new_password', order.newPassword, reset.email);
    if (faults.length > 0) throw invalidArgument(faults);
    const passwordHash = await deps.passwords.hash(order.newPassword, { ...order.caller, isKnown: true });
    return await inTransaction(pool, async (client) => {
      await holdTenantOfUnverified(client, reset.accountId);
      if (!(await useReset(client, order.resetToken, clock()))) throw resetRefused();
      await writePassword(client, reset.accountId, passwordHash);
      const endedSessions = await deleteSessionsOf(client, reset.accountId);
      const takenBack = await verifyEmail(client, reset.accountId, { nowMs: clock(), randomBytes: deps.randomBytes });
      // Whoever reads the account's mail is its owner: an attack on the account does not keep this address waiting.
      await rememberAddress(client, reset.accountId, network, clock());
      await takeStampBack(client, addresses, stampMs);
      refuseWhoHasLeft(order.caller);
      return { accountId: reset.accountId, endedSessions, ...takenBack };
    });
  } catch (error) {
    if (!isServiceError(error, 'reset_refused')) await takeStampBack(pool, addresses, stampMs);
    throw error;
  }
}

function resetRefused(): ServiceError {
  return new ServiceError({
    code: 'UNAUTHENTICATED',
    reason: 'reset_refused',
    sentence: 'The reset token is not valid: it was used, was replaced by a newer one, or has expired.',
  });
}
