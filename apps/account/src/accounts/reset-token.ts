import { formatSecret, isSecret, SECRET_SIZE_BYTES, secretDigest } from '@market-state/credentials';
import type { Queryable } from '@market-state/postgres';

/** Minutes for which a reset token is good. */
export const RESET_LIFE_MINUTES = 30;

/** Makes a reset token; the one before it is good no longer. The token itself is told once and kept nowhere. */
export async function createResetToken(
  db: Queryable,
  accountId: string,
  deps: { readonly clock: () => number; readonly randomBytes: (size: number) => Uint8Array },
): Promise<string> {
  const token = formatSecret(deps.randomBytes(SECRET_SIZE_BYTES));
  const nowMs = deps.clock();
  await db.query(
    `INSERT INTO password_reset (account_id, digest, created_at, expires_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (account_id) DO UPDATE SET digest = EXCLUDED.digest, created_at = EXCLUDED.created_at, expires_at = EXCLUDED.expires_at`,
    [accountId, secretDigest(token), new Date(nowMs), new Date(nowMs + RESET_LIFE_MINUTES * 60_000)],
  );
  return token;
}

/** Email of the account that a token resets; null for one that resets nothing. */
export async function findReset(db: Queryable, token: string, nowMs: number): Promise<{ accountId: string; email: string } | null> {
  if (!isSecret(token)) return null;
  const { rows } = await db.query<{ id: string; email: string }>(
    'SELECT a.id, a.email FROM password_reset r JOIN account a ON a.id = r.account_id WHERE r.digest = $1 AND r.expires_at > $2',
    [secretDigest(token), new Date(nowMs)],
  );
  return rows[0] === undefined ? null : { accountId: rows[0].id, email: rows[0].email };
}

/** Uses a token up; whether it was still good. */
export async function useReset(db: Queryable, token: string, nowMs: number): Promise<boolean> {
  const { rowCount } = await db.query('DELETE FROM password_reset WHERE digest = $1 AND expires_at > $2', [
    secretDigest(token),
    new Date(nowMs),
  ]);
  return rowCount === 1;
}
