import { formatSecret, isSecret, SECRET_SIZE_BYTES, secretDigest } from '@market-state/credentials';
import type { Queryable } from '@market-state/postgres';
import { emailDigest } from './email';

/** Hours for which a mailed claim token is good. */
export const EMAIL_CLAIM_LIFE_HOURS = 24;

/** Makes a token that opens a trial for this email, once. The token itself is shown once and stored nowhere. */
export async function createEmailClaim(
  db: Queryable,
  email: string,
  deps: { readonly clock: () => number; readonly randomBytes: (size: number) => Uint8Array },
): Promise<string> {
  const token = formatSecret(deps.randomBytes(SECRET_SIZE_BYTES));
  const nowMs = deps.clock();
  await db.query('INSERT INTO email_claim (digest, email_digest, created_at, expires_at) VALUES ($1, $2, $3, $4)', [
    secretDigest(token),
    emailDigest(email),
    new Date(nowMs),
    new Date(nowMs + EMAIL_CLAIM_LIFE_HOURS * 3_600_000),
  ]);
  return token;
}

/** Whether a token was mailed to this email and is good. */
export async function isEmailClaim(db: Queryable, token: string, email: string, nowMs: number): Promise<boolean> {
  if (!isSecret(token)) return false;
  const { rowCount } = await db.query('SELECT FROM email_claim WHERE digest = $1 AND email_digest = $2 AND expires_at > $3', [
    secretDigest(token),
    emailDigest(email),
    new Date(nowMs),
  ]);
  return rowCount === 1;
}

/** Uses a token up; whether it was still good. */
export async function useEmailClaim(db: Queryable, token: string, email: string, nowMs: number): Promise<boolean> {
  if (!isSecret(token)) return false;
  const { rowCount } = await db.query('DELETE FROM email_claim WHERE digest = $1 AND email_digest = $2 AND expires_at > $3', [
    secretDigest(token),
    emailDigest(email),
    new Date(nowMs),
  ]);
  return rowCount === 1;
}
