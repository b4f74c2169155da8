import { formatSecret, SECRET_SIZE_BYTES, secretDigest } from '@market-state/credentials';
import type { Queryable } from '@market-state/postgres';
import { SESSION_LIFE_MS, SESSIONS_MAX } from './session';

/** Opens a session of an account, in the caller's transaction; its secret is told once. The oldest beyond ten ends. */
export async function openSession(
  db: Queryable,
  accountId: string,
  deps: { readonly clock: () => number; readonly randomBytes: (size: number) => Uint8Array },
): Promise<{ secret: string; openedTsMs: number; expiresTsMs: number }> {
  const secret = formatSecret(deps.randomBytes(SECRET_SIZE_BYTES));
  const openedTsMs = deps.clock();
  const expiresTsMs = openedTsMs + SESSION_LIFE_MS;
  // Logins of one account open one after the other.
  await db.query('SELECT FROM account WHERE id = $1 FOR UPDATE', [accountId]);
  await db.query('INSERT INTO session (digest, account_id, created_at, last_used_at, expires_at) VALUES ($1, $2, $3, $3, $4)', [
    secretDigest(secret),
    accountId,
    new Date(openedTsMs),
    new Date(expiresTsMs),
  ]);
  await db.query(
    'DELETE FROM session WHERE digest IN (SELECT digest FROM session WHERE account_id = $1 AND digest <> $2 ORDER BY created_at DESC, digest OFFSET $3)',
    [accountId, secretDigest(secret), SESSIONS_MAX - 1],
  );
  return { secret, openedTsMs, expiresTsMs };
}
