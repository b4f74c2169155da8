import { newId, formatSecret, isSecret, SECRET_SIZE_BYTES, secretDigest } from '@market-state/credentials';
import { invalidArgument, isServiceError, type ServiceError, unauthenticated } from '@market-state/errors';
import { type Queryable, inTransaction } from '@market-state/postgres';
import { type StoredKey } from '../keys/key';
import { addMail } from '../mail/outbox';
import {
  deleteOtherAccounts,
  findTenantOfUnverified,
  markEmailVerified,
  moveAccount,
  shareTenantOfAccount,
  writePassword,
} from '../store/accounts';
import { writeAccountEvent } from '../store/account-events';
import { deleteInvitationsOf } from '../store/invitations';
import { ensureOwner, writeRole } from '../store/members';
import { revokeKeysOf } from '../store/keys';
import { deleteKnownAddresses } from '../store/known-addresses';
import { deletePasswordReset, findPasswordReset, replacePasswordReset } from '../store/password-resets';
import { deleteSessionsOf } from '../store/sessions';
import { lockTenant, lockTenantOfName, readClaimedTenant } from '../store/tenants';
import { takeStampBack } from '../store/throttles';
import { limitedSubject, networkSubjects, takeAttempt, tooManyAttempts } from './attempts';
import type { AccountsDeps } from './deps';
import { emailDigest } from './email';
import { rememberAddress } from './network';
import { passwordFaults } from './password-rules';
import { type PasswordCaller, refuseWhoHasLeft } from './password-work';

export const RESET_LIFE_MINUTES = 30;

/**
 * Queues a reset mail. The answer does not reveal whether the account exists: it is looked up later.
 * @throws ServiceError `too_many_attempts`, by address only
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

/** Replaces the previous token. Only the digest is stored. */
export async function createResetToken(
  db: Queryable,
  accountId: string,
  deps: Pick<AccountsDeps, 'clock' | 'randomBytes'>,
): Promise<string> {
  const token = formatSecret(deps.randomBytes(SECRET_SIZE_BYTES));
  const nowMs = deps.clock();
  const expiresTsMs = nowMs + RESET_LIFE_MINUTES * 60_000;
  await replacePasswordReset(db, { accountId, digest: secretDigest(token), createdTsMs: nowMs, expiresTsMs });
  return token;
}

export async function findReset(db: Queryable, token: string, nowMs: number): Promise<{ accountId: string; email: string } | null> {
  return isSecret(token) ? findPasswordReset(db, secretDigest(token), nowMs) : null;
}

/** False if the token was no longer valid. */
function useReset(db: Queryable, token: string, nowMs: number): Promise<boolean> {
  return deletePasswordReset(db, secretDigest(token), nowMs);
}

interface ConfirmOrder {
  readonly resetToken: string;
  readonly newPassword: string;
  readonly caller: PasswordCaller;
}

interface ConfirmedReset extends Reverted {
  readonly accountId: string;
  readonly endedSessions: number;
}

/**
 * Sets a new password, ends the account's sessions and verifies its email (see `verifyEmail`).
 * @throws ServiceError `reset_refused`; INVALID_ARGUMENT, which keeps the token valid; `too_many_attempts`;
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
      const reverted = await verifyEmail(client, reset.accountId, { nowMs: clock(), randomBytes: deps.randomBytes });
      // The caller reads the account's mail, so an attack on the account must not delay this address.
      await rememberAddress(client, reset.accountId, network, clock());
      const tenantId = (await shareTenantOfAccount(client, reset.accountId))?.tenantId;
      if (tenantId !== undefined)
        await writeAccountEvent(client, { tenantId, accountId: reset.accountId, kind: 'password_changed', network }, deps);
      await takeStampBack(client, addresses, stampMs);
      refuseWhoHasLeft(order.caller);
      return { accountId: reset.accountId, endedSessions, ...reverted };
    });
  } catch (error) {
    if (!isServiceError(error, 'reset_refused')) await takeStampBack(pool, addresses, stampMs);
    throw error;
  }
}

function resetRefused(): ServiceError {
  return unauthenticated('reset_refused', 'The reset token is invalid: it was used, replaced by a newer one, or has expired.');
}

/** Access created before the email was first verified, now revoked. */
interface Reverted {
  readonly revokedKeys: readonly StoredKey[];
  readonly closedEmails: readonly string[];
  /** New tenant of the account, or null if it stays in its tenant. */
  readonly movedToTenantId: string | null;
}

const NOTHING: Reverted = { revokedKeys: [], closedEmails: [], movedToTenantId: null };

/**
 * Locks the tenant before the account, as `verifyEmail` does, so that first resets in one tenant run one after the
 * other.
 */
async function holdTenantOfUnverified(db: Queryable, accountId: string): Promise<void> {
  const tenantId = await findTenantOfUnverified(db, accountId);
  if (tenantId !== null) await lockTenant(db, tenantId);
}

/**
 * Records that the account's owner reads its email; the caller's transaction must lock the account. On the first
 * verification the earlier claimer may have been an impostor, so known addresses are dropped. In an unpaid trial the
 * owner takes over: every key is revoked, and accounts claimed later with later keys, or invited, are closed. If the trial belongs
 * to another account or has a verified one, the owner gets an empty tenant instead. Tenants paid for or created by an
 * operator are not the claimer's and keep everything.
 */
async function verifyEmail(
  db: Queryable,
  accountId: string,
  { nowMs, randomBytes }: { nowMs: number; randomBytes: (size: number) => Uint8Array },
): Promise<Reverted> {
  const claimed = await markEmailVerified(db, accountId, nowMs);
  if (claimed === null) return NOTHING;
  const { tenantId, createdTsMs } = claimed;
  // Creating or claiming with a key locks the tenant, so none can appear concurrently.
  await lockTenant(db, tenantId);
  await deleteKnownAddresses(db, accountId);
  const tenant = await readClaimedTenant(db, tenantId, accountId, createdTsMs);
  if (tenant?.isUnpaidTrial !== true) return NOTHING;
  if (tenant.hasElders)
    return { ...NOTHING, movedToTenantId: await moveToOwnTenant(db, { id: accountId, tenantId }, newId('ten', randomBytes), nowMs) };
  const closedEmails = await deleteOtherAccounts(db, tenantId, accountId);
  await deleteInvitationsOf(db, tenantId);
  await writeRole(db, accountId, 'owner');
  return { ...NOTHING, revokedKeys: await revokeKeysOf(db, tenantId, nowMs), closedEmails };
}

async function moveToOwnTenant(
  db: Queryable,
  { id: accountId, tenantId: formerTenantId }: { readonly id: string; readonly tenantId: string },
  newTenantId: string,
  nowMs: number,
): Promise<string> {
  const tenantId = await lockTenantOfName(db, `account ${newTenantId}`, newTenantId, nowMs);
  await moveAccount(db, accountId, tenantId);
  await ensureOwner(db, formerTenantId);
  return tenantId;
}
