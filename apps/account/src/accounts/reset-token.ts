import { formatSecret, isSecret, SECRET_SIZE_BYTES, secretDigest } from '@market-state/credentials';
import type { Queryable } from '@market-state/postgres';
import { deletePasswordReset, findPasswordReset, replacePasswordReset } from '../store/password-resets';

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
  const expiresTsMs = nowMs + RESET_LIFE_MINUTES * 60_000;
  await replacePasswordReset(db, { accountId, digest: secretDigest(token), createdTsMs: nowMs, expiresTsMs });
  return token;
}

/** Email of the account that a token resets; null for one that resets nothing. */
export async function findReset(db: Queryable, token: string, nowMs: number): Promise<{ accountId: string; email: string } | null> {
  return isSecret(token) ? findPasswordReset(db, secretDigest(token), nowMs) : null;
}

/** Uses a token up; whether it was still good. */
export function useReset(db: Queryable, token: string, nowMs: number): Promise<boolean> {
  return deletePasswordReset(db, secretDigest(token), nowMs);
}
