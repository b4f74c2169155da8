import type { StoredKey } from '../keys/key';
import type { Queryable } from '../store/queryable';
import { holdTenant, revokeKeysOf } from '../store/write-keys';

/** What was made before an email was first verified, and is taken from whoever made it. */
export interface TakenBack {
  readonly revokedKeys: readonly StoredKey[];
  /** Emails of accounts that are closed. */
  readonly closedEmails: readonly string[];
}

/**
 * Notes that an account's owner reads its email, in the caller's transaction, which holds the account. The first time, whoever claimed the account
 * may have been another: every key of its tenant is revoked, every address of the account forgotten, and accounts are closed that were claimed since
 * with keys made since.
 */
export async function verifyEmail(db: Queryable, accountId: string, nowMs: number): Promise<TakenBack> {
  const { rows } = await db.query<{ tenant_id: string; created_at: Date }>(
    'UPDATE account SET email_verified_at = $2 WHERE id = $1 AND email_verified_at IS NULL RETURNING tenant_id, created_at',
    [accountId, new Date(nowMs)],
  );
  const [claimed] = rows;
  if (claimed === undefined) return { revokedKeys: [], closedEmails: [] };
  // Keys are made and claimed with while their tenant is held: none is made beside this.
  await holdTenant(db, claimed.tenant_id);
  await db.query('DELETE FROM known_address WHERE account_id = $1', [accountId]);
  const closed = await db.query<{ email: string }>(
    `DELETE FROM account WHERE tenant_id = $1 AND id <> $2 AND created_at >= $3
       AND claimed_key_id IN (SELECT id FROM api_key WHERE tenant_id = $1 AND created_at >= $3) RETURNING email`,
    [claimed.tenant_id, accountId, claimed.created_at],
  );
  return { revokedKeys: await revokeKeysOf(db, claimed.tenant_id, nowMs), closedEmails: closed.rows.map(({ email }) => email) };
}
