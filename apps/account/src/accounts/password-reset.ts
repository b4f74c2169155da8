import { formatSecret, isSecret, SECRET_SIZE_BYTES, secretDigest } from '@market-state/credentials';
import { invalidArgument, isServiceError, ServiceError } from '@market-state/errors';
import { type Queryable, inTransaction } from '@market-state/postgres';
import { deletePasswordReset, findPasswordReset, replacePasswordReset } from '../store/password-resets';
import { addMail } from '../mail/outbox';
import type { AccountsDeps } from './deps';
import { emailDigest } from './email';
import { limitedSubject, networkSubjects, takeAttempt, tooManyAttempts } from './attempts';
import { newId, type StoredKey } from '../keys/key';
import { deleteOtherAccounts, findTenantOfUnverified, markEmailVerified, moveAccount, writePassword } from '../store/accounts';
import { deleteKnownAddresses } from '../store/known-addresses';
import { lockTenant, lockTenantOfName, readClaimedTenant } from '../store/tenants';
import { revokeKeysOf } from '../store/keys';
import { deleteSessionsOf } from '../store/sessions';
import { takeStampBack } from '../store/throttles';
import { rememberAddress } from './network';
import { type PasswordCaller, refuseWhoHasLeft } from './password-work';
import { passwordFaults } from './password-rules';

/** Minutes for which a reset token is good. */
export const RESET_LIFE_MINUTES = 30;

/**
 * Puts a reset mail into the queue. Whether the email has an account is found out by whoever sends it, so nothing here tells.
 * @throws ServiceError RESOURCE_EXHAUSTED with reason `too_many_attempts`, by address only
 */
export async function requestReset({ pool, limits, clock, randomBytes }: AccountsDeps, email: string, network: string): Promise<void> {
  await inTransaction(pool, async (client) => {
    const nowMs = clock();
    const waitMs = await takeAttempt(client, networkSubjects('reset_address', network, [limits.resetAddress]), nowMs);
    if (waitMs > 0) throw tooManyAttempts(waitMs);
    const account = limitedSubject('reset_account', emailDigest(email).toString('hex'), [limits.resetAccount]);
    if ((await takeAttempt(client, [account], nowMs)) === 0) await addMail(client, 'reset', email, { nowMs, randomBytes });
  });
}

/** Makes a reset token; the one before it is good no longer. The token itself is told once and kept nowhere. */
export async function createResetToken(
  db: Queryable,
  accountId: string,
  deps: { readonly clock: () => number; readonly randomBytes: (size: number) => Uint8Array },
): Promise<string> {
  const token = formatSecret(deps.randomBytes(SECRET_SIZE_BYTES));
  const nowMs = deps.clock();
  const expiresTsMs = nowMs + RESET_LIFE_MINUTES * 60_000;
  await replacePasswordReset(db, { accountId, digest: secretDigest(token), createdTsMs: nowMs, expiresTsMs });
  return token;
}

/** Email of the account that a token resets; null for one that resets nothing. */
export async function findReset(db: Queryable, token: string, nowMs: number): Promise<{ accountId: string; email: string } | null> {
  return isSecret(token) ? findPasswordReset(db, secretDigest(token), nowMs) : null;
}

/** Uses a token up; whether it was still good. */
function useReset(db: Queryable, token: string, nowMs: number): Promise<boolean> {
  return deletePasswordReset(db, secretDigest(token), nowMs);
}

interface ConfirmOrder {
  readonly resetToken: string;
  readonly newPassword: string;
  readonly caller: PasswordCaller;
}

/** What a reset has done beside setting the password. */
interface ConfirmedReset extends TakenBack {
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

/** What was made before an email was first verified, and is taken from whoever made it. */
interface TakenBack {
  readonly revokedKeys: readonly StoredKey[];
  /** Emails of accounts that are closed. */
  readonly closedEmails: readonly string[];
  /** The tenant that the account has got for itself; null: it stays in its tenant. */
  readonly movedToTenantId: string | null;
}

const NOTHING: TakenBack = { revokedKeys: [], closedEmails: [], movedToTenantId: null };

/**
 * Locks the tenant of an account whose email is not verified, before the account: whoever takes accounts back holds their tenant first, so
 * that two first resets in one tenant wait for each other.
 */
async function holdTenantOfUnverified(db: Queryable, accountId: string): Promise<void> {
  const tenantId = await findTenantOfUnverified(db, accountId);
  if (tenantId !== null) await lockTenant(db, tenantId);
}

/**
 * Notes that an account's owner reads its email, in the caller's transaction, which holds the account. The first time, whoever claimed the
 * account may have been another, and every address of the account is forgotten. Of a trial that nobody paid for the owner takes over what
 * the claimer has made: every key is revoked, and accounts are closed that were claimed since with keys made since. Where the trial is
 * another account's, or one with a verified email is in it, the owner's gets an empty tenant of its own instead. In a tenant that an
 * operator made, or that was paid for, nothing is taken from anybody: it is not the claimer's.
 */
async function verifyEmail(
  db: Queryable,
  accountId: string,
  { nowMs, randomBytes }: { nowMs: number; randomBytes: (size: number) => Uint8Array },
): Promise<TakenBack> {
  const claimed = await markEmailVerified(db, accountId, nowMs);
  if (claimed === null) return NOTHING;
  const { tenantId, createdTsMs } = claimed;
  // Keys are made and claimed with while their tenant is locked: none is made beside this.
  await lockTenant(db, tenantId);
  await deleteKnownAddresses(db, accountId);
  const tenant = await readClaimedTenant(db, tenantId, accountId, createdTsMs);
  if (tenant?.isUnpaidTrial !== true) return NOTHING;
  if (tenant.hasElders) return { ...NOTHING, movedToTenantId: await moveToOwnTenant(db, accountId, newId('ten', randomBytes), nowMs) };
  const closedEmails = await deleteOtherAccounts(db, tenantId, accountId);
  return { ...NOTHING, revokedKeys: await revokeKeysOf(db, tenantId, nowMs), closedEmails };
}

/** The new tenant, which has neither keys nor credits. */
async function moveToOwnTenant(db: Queryable, accountId: string, newTenantId: string, nowMs: number): Promise<string> {
  const tenantId = await lockTenantOfName(db, `account ${newTenantId}`, newTenantId, nowMs);
  await moveAccount(db, accountId, tenantId);
  return tenantId;
}
