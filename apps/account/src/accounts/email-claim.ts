import { formatSecret, isSecret, SECRET_SIZE_BYTES, secretDigest } from '@market-state/credentials';
import type { Queryable } from '@market-state/postgres';
import { deleteEmailClaim, hasEmailClaim, insertEmailClaim, type MailedClaim } from '../store/email-claims';
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
  await insertEmailClaim(db, mailedClaim(token, email), nowMs, nowMs + EMAIL_CLAIM_LIFE_HOURS * 3_600_000);
  return token;
}

/** Whether a token was mailed to this email and is good. */
export async function isEmailClaim(db: Queryable, token: string, email: string, nowMs: number): Promise<boolean> {
  return isSecret(token) && hasEmailClaim(db, mailedClaim(token, email), nowMs);
}

/** Uses a token up; whether it was still good. */
export async function useEmailClaim(db: Queryable, token: string, email: string, nowMs: number): Promise<boolean> {
  return isSecret(token) && deleteEmailClaim(db, mailedClaim(token, email), nowMs);
}

function mailedClaim(token: string, email: string): MailedClaim {
  return { digest: secretDigest(token), emailDigest: emailDigest(email) };
}
