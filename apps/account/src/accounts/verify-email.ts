import type { Queryable } from '@market-state/postgres';
import { newId } from '../keys/id';
import type { StoredKey } from '../keys/key';
import { holdTenant, holdTenantOfName, revokeKeysOf } from '../store/write-keys';

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
  const { rows } = await db.query<{ tenant_id: string }>('SELECT tenant_id FROM account WHERE id = $1 AND email_verified_at IS NULL', [
    accountId,
  ]);
  if (rows[0] !== undefined) await holdTenant(db, rows[0].tenant_id);
}

/** What of a tenant decides what the first reset of one of its accounts takes back. */
interface ClaimedTenant {
  readonly is_unpaid_trial: boolean;
  /** Whether an account is in it whose email is verified, that was there before, or that was claimed with a key from before. */
  readonly has_elders: boolean;
}

const CLAIMED_TENANT = `
  SELECT tenant.name = 'trial ' || tenant.id AND coalesce(tenant.plan_id, 'trial') = 'trial'
      AND NOT EXISTS (SELECT FROM billing_order o WHERE o.tenant_id = tenant.id AND o.status = 'fulfilled') AS is_unpaid_trial,
    EXISTS (SELECT FROM account a LEFT JOIN api_key k ON k.id = a.claimed_key_id
      WHERE a.tenant_id = tenant.id AND a.id <> $2 AND (a.email_verified_at IS NOT NULL OR a.created_at < $3 OR k.created_at IS NULL
        OR k.created_at < $3)) AS has_elders
  FROM tenant WHERE tenant.id = $1`;

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
  const { rows } = await db.query<{ tenant_id: string; created_at: Date }>(
    'UPDATE account SET email_verified_at = $2 WHERE id = $1 AND email_verified_at IS NULL RETURNING tenant_id, created_at',
    [accountId, new Date(nowMs)],
  );
  const [claimed] = rows;
  if (claimed === undefined) return NOTHING;
  // Keys are made and claimed with while their tenant is held: none is made beside this.
  await holdTenant(db, claimed.tenant_id);
  await db.query('DELETE FROM known_address WHERE account_id = $1', [accountId]);
  const found = await db.query<ClaimedTenant>(CLAIMED_TENANT, [claimed.tenant_id, accountId, claimed.created_at]);
  const [tenant] = found.rows;
  if (tenant?.is_unpaid_trial !== true) return NOTHING;
  if (tenant.has_elders) return { ...NOTHING, movedToTenantId: await moveAccount(db, accountId, newId('ten', randomBytes), nowMs) };
  const closed = await db.query<{ email: string }>('DELETE FROM account WHERE tenant_id = $1 AND id <> $2 RETURNING email', [
    claimed.tenant_id,
    accountId,
  ]);
  return { ...NOTHING, revokedKeys: await revokeKeysOf(db, claimed.tenant_id, nowMs), closedEmails: closed.rows.map(({ email }) => email) };
}

/** The new tenant, which has neither keys nor credits. */
async function moveAccount(db: Queryable, accountId: string, newTenantId: string, nowMs: number): Promise<string> {
  const tenantId = await holdTenantOfName(db, `account ${newTenantId}`, newTenantId, nowMs);
  await db.query('UPDATE account SET tenant_id = $2 WHERE id = $1', [accountId, tenantId]);
  return tenantId;
}
