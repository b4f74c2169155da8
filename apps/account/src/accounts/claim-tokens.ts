import { formatSecret, SECRET_SIZE_BYTES, secretDigest, isSecret } from '@market-state/credentials';
import type { Queryable } from '@market-state/postgres';
import { insertClaimToken, deleteEmailClaim, hasEmailClaim, insertEmailClaim, type MailedClaim } from '../store/claim-tokens';
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

const LIFE_MS = 24 * 3_600_000;

/**
 * Makes a token that binds one account to a tenant that exists, once, within 24 h. The token itself is told once and kept nowhere.
 * @returns null when there is no such tenant
 */
export async function createClaimToken(
  db: Queryable,
  tenantId: string,
  deps: { readonly clock: () => number; readonly randomBytes: (size: number) => Uint8Array },
): Promise<{ claimToken: string; expiresTsMs: number } | null> {
  const claimToken = formatSecret(deps.randomBytes(SECRET_SIZE_BYTES));
  const nowMs = deps.clock();
  const expiresTsMs = nowMs + LIFE_MS;
  const isMade = await insertClaimToken(db, { digest: secretDigest(claimToken), tenantId, createdTsMs: nowMs, expiresTsMs });
  return isMade ? { claimToken, expiresTsMs } : null;
}
