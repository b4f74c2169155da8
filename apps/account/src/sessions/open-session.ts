import { formatSecret, SECRET_SIZE_BYTES, secretDigest } from '@market-state/credentials';
import type { Queryable } from '@market-state/postgres';
import { lockAccount } from '../store/accounts';
import { deleteOldestSessions, insertSession } from '../store/sessions';
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
  await lockAccount(db, accountId);
  const digest = secretDigest(secret);
  await insertSession(db, { digest, accountId, openedTsMs, expiresTsMs });
  await deleteOldestSessions(db, accountId, digest, SESSIONS_MAX - 1);
  return { secret, openedTsMs, expiresTsMs };
}
