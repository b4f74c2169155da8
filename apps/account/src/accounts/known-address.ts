import type { Queryable } from '@market-state/postgres';

/** Addresses kept of an account; one more forgets the oldest. */
const KEPT_MAX = 20;
const KEPT_MS = 90 * 86_400_000;

/** Whether the account of an email digest was proved from this address in the last 90 days. */
export async function isKnownAddress(db: Queryable, digest: Uint8Array, network: string, nowMs: number): Promise<boolean> {
  const { rows } = await db.query<{ known: boolean }>(
    `SELECT EXISTS (SELECT FROM known_address k JOIN account a ON a.id = k.account_id
       WHERE a.email_digest = $1 AND k.address = $2 AND k.seen_at > $3) AS known`,
    [digest, network, new Date(nowMs - KEPT_MS)],
  );
  return rows[0]?.known === true;
}

/** Notes that the account's owner was at this address. */
export async function rememberAddress(db: Queryable, accountId: string, network: string, nowMs: number): Promise<void> {
  await db.query(
    `INSERT INTO known_address (account_id, address, seen_at) VALUES ($1, $2, $3)
     ON CONFLICT (account_id, address) DO UPDATE SET seen_at = greatest(known_address.seen_at, EXCLUDED.seen_at)`,
    [accountId, network, new Date(nowMs)],
  );
  await db.query(
    'DELETE FROM known_address WHERE account_id = $1 AND address IN (SELECT address FROM known_address WHERE account_id = $1 ORDER BY seen_at DESC, address OFFSET $2)',
    [accountId, KEPT_MAX],
  );
}
