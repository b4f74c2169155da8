import type { Queryable } from '@market-state/postgres';
import { newId } from '../keys/id';
import type { StoredKey } from '../keys/key';
import { deleteOtherAccounts, findTenantOfUnverified, markEmailVerified, moveAccount } from '../store/accounts';
import { deleteKnownAddresses } from '../store/known-addresses';
import { lockTenant, lockTenantOfName, readClaimedTenant } from '../store/tenants';
import { revokeKeysOf } from '../store/keys';

/** What was made before an email was first verified, and is taken from whoever made it. */
export interface TakenBack {
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
export async function holdTenantOfUnverified(db: Queryable, accountId: string): Promise<void> {
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
export async function verifyEmail(
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
