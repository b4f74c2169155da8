import { failedPrecondition, invalidArgument, isServiceError, type ServiceError } from '@market-state/errors';
import { inTransaction } from '@market-state/postgres';
import type { PoolClient } from 'pg';
import { type AccountEventKind, writeAccountEvent } from '../store/account-events';
import { findAccountByEmail, type StoredAccount } from '../store/accounts';
import { confirmFactor, deleteSecondFactor, findSecondFactor, replacePendingFactor } from '../store/second-factors';
import { deleteOtherSessionsOf } from '../store/sessions';
import { takeStampBack } from '../store/throttles';
import { limitedSubject, networkSubjects, takeAttempt, tooManyAttempts } from './attempts';
import type { AccountsDeps } from './deps';
import { accountDigests } from './email';
import { type PasswordCaller, refuseWhoHasLeft } from './password-work';
import { wrongPassword } from './passwords';
import { createRecoveryCodes, PENDING_LIFE_MS, totpOf, useAuthenticationCode, useCode } from './second-factor';
import { accountOfSession } from './sessions';

/** RFC 4226 recommends 160 bits. */
const SECRET_SIZE_BYTES = 20;

interface ChangeOrder {
  readonly sessionDigest: Uint8Array;
  readonly caller: PasswordCaller;
}

type PasswordOrder = ChangeOrder & { readonly password: string };
type CodeOrder = ChangeOrder & { readonly code: string };

/**
 * Creates a secret, which replaces one that is not confirmed. It is returned only here.
 * @throws ServiceError `unauthenticated`; INVALID_ARGUMENT; `second_factor_enabled`; `too_many_attempts`;
 * `password_work_full`
 */
export function beginSecondFactor(deps: AccountsDeps, order: PasswordOrder): Promise<{ readonly secret: string; readonly uri: string }> {
  return changeFactor(deps, order, async (client, account) => {
    const bytes = deps.randomBytes(SECRET_SIZE_BYTES);
    const sealed = deps.factorSeal.seal(account.id, bytes);
    if (!(await replacePendingFactor(client, account.id, sealed, deps.clock()))) throw alreadyEnabled();
    const totp = totpOf(bytes, account.email);
    return { secret: totp.secret.base32, uri: totp.toString() };
  });
}

interface EnabledFactor {
  readonly accountId: string;
  readonly recoveryCodes: readonly string[];
  readonly endedSessions: number;
}

/**
 * Ends the other sessions, which were opened without the factor.
 * @throws ServiceError `unauthenticated`; INVALID_ARGUMENT; `second_factor_enabled`; `too_many_attempts`
 */
export function confirmSecondFactor(deps: AccountsDeps, { sessionDigest, code, caller }: CodeOrder): Promise<EnabledFactor> {
  return changeFactor(deps, { sessionDigest, caller }, async (client, account) => {
    const factor = await findSecondFactor(client, account.id);
    if (factor?.isConfirmed === true) throw alreadyEnabled();
    if (factor === null || factor.createdTsMs + PENDING_LIFE_MS <= deps.clock()) return null;
    if (!(await useAuthenticationCode(deps, client, { account, factor, code, network: caller.network }))) return null;
    await confirmFactor(client, account.id, deps.clock());
    const recoveryCodes = await createRecoveryCodes(deps, client, account.id);
    const endedSessions = await deleteOtherSessionsOf(client, account.id, sessionDigest);
    await writeChange(deps, client, account, 'second_factor_enabled', caller);
    return { accountId: account.id, recoveryCodes, endedSessions };
  });
}

/** @throws ServiceError `unauthenticated`; INVALID_ARGUMENT; `second_factor_disabled`; `too_many_attempts`; `password_work_full` */
export function disableSecondFactor(deps: AccountsDeps, order: PasswordOrder & CodeOrder): Promise<{ readonly accountId: string }> {
  return withCode(deps, order, async (client, account) => {
    await deleteSecondFactor(client, account.id);
    await writeChange(deps, client, account, 'second_factor_disabled', order.caller);
    return { accountId: account.id };
  });
}

/** Replaces the recovery codes. Throws as `disableSecondFactor`. */
export function replaceRecoveryCodes(
  deps: AccountsDeps,
  order: PasswordOrder & CodeOrder,
): Promise<{ readonly accountId: string; readonly recoveryCodes: readonly string[] }> {
  return withCode(deps, order, async (client, account) => {
    const recoveryCodes = await createRecoveryCodes(deps, client, account.id);
    await writeChange(deps, client, account, 'recovery_codes_replaced', order.caller);
    return { accountId: account.id, recoveryCodes };
  });
}

/**
 * For an operator, by the account's email.
 * @throws ServiceError `second_factor_disabled`
 */
export function removeSecondFactor(
  deps: Pick<AccountsDeps, 'pool' | 'clock' | 'randomBytes'>,
  email: string,
): Promise<{ readonly accountId: string; readonly tenantId: string }> {
  return inTransaction(deps.pool, async (client) => {
    const account = await findAccountByEmail(client, accountDigests(email));
    if (account === null || !(await deleteSecondFactor(client, account.id))) throw notEnabled();
    const { id: accountId, tenantId } = account;
    await writeAccountEvent(client, { tenantId, kind: 'second_factor_disabled', subjectId: accountId }, deps);
    return { accountId, tenantId };
  });
}

type Work<T> = (client: PoolClient, account: StoredAccount) => Promise<T>;

function withCode<T>(deps: AccountsDeps, order: PasswordOrder & CodeOrder, work: Work<T>): Promise<T> {
  const { code, caller } = order;
  return changeFactor(deps, order, async (client, account) => {
    const factor = await findSecondFactor(client, account.id);
    if (factor?.isConfirmed !== true) throw notEnabled();
    return (await useCode(deps, client, { account, factor, code, network: caller.network })) ? work(client, account) : null;
  });
}

/**
 * Runs `work` with the account's row locked, after checking the password if there is one. Failures count against limits
 * of the account and the address. `work` returns null for a wrong code, which is committed because it counts.
 */
async function changeFactor<T>(
  deps: AccountsDeps,
  { sessionDigest, password, caller }: ChangeOrder & { readonly password?: string },
  work: Work<T | null>,
): Promise<T> {
  const { pool, limits, clock } = deps;
  const read = await accountOfSession(pool, sessionDigest, clock());
  const subjects = [
    limitedSubject('second_factor_change', read.id, limits.secondFactor),
    ...networkSubjects('address', caller.network, limits.address),
  ];
  const stampMs = clock();
  const waitMs = await inTransaction(pool, (client) => takeAttempt(client, subjects, stampMs));
  if (waitMs > 0) throw tooManyAttempts(waitMs);
  try {
    if (password !== undefined && !(await deps.passwords.verify(password, read.passwordHash, { ...caller, isKnown: true })))
      throw wrongPassword();
    const result = await inTransaction(pool, async (client) => {
      const account = await accountOfSession(client, sessionDigest, clock(), true);
      if (password !== undefined && account.passwordHash !== read.passwordHash) throw wrongPassword();
      const changed = await work(client, account);
      if (changed === null) return null;
      await takeStampBack(client, subjects, stampMs);
      refuseWhoHasLeft(caller);
      return changed;
    });
    if (result === null) throw codeRefused();
    return result;
  } catch (error) {
    if (!isServiceError(error) || error.code !== 'INVALID_ARGUMENT') await takeStampBack(pool, subjects, stampMs);
    throw error;
  }
}

async function writeChange(
  deps: AccountsDeps,
  client: PoolClient,
  { id: accountId, tenantId }: StoredAccount,
  kind: AccountEventKind,
  { network }: PasswordCaller,
): Promise<void> {
  await writeAccountEvent(client, { tenantId, accountId, kind, network }, deps);
}

function alreadyEnabled(): ServiceError {
  return failedPrecondition('second_factor_enabled', 'Two-factor authentication is on already. Turn it off first.');
}

function notEnabled(): ServiceError {
  return failedPrecondition('second_factor_disabled', 'Two-factor authentication is off.');
}

function codeRefused(): ServiceError {
  const message = 'is not valid: it is wrong, was used, or too many codes were wrong';
  return invalidArgument([{ field: 'code', message, type: 'wrong_code' }]);
}
