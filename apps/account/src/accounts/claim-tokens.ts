import { formatSecret, SECRET_SIZE_BYTES, secretDigest, isSecret } from '@market-state/credentials';
import type { Queryable } from '@market-state/postgres';
import { insertClaimToken, deleteEmailClaim, hasEmailClaim, insertEmailClaim, type MailedClaim } from '../store/claim-tokens';
import type { AccountsDeps } from './deps';
import { emailDigest } from './email';

export const EMAIL_CLAIM_LIFE_HOURS = 24;

/** Opens a trial for this email, once. Only the digest is stored. */
export async function createEmailClaim(db: Queryable, email: string, deps: Pick<AccountsDeps, 'clock' | 'randomBytes'>): Promise<string> {
  const token = formatSecret(deps.randomBytes(SECRET_SIZE_BYTES));
  const nowMs = deps.clock();
  await insertEmailClaim(db, mailedClaim(token, email), nowMs, nowMs + EMAIL_CLAIM_LIFE_HOURS * 3_600_000);
  return token;
}

export async function isEmailClaim(db: Queryable, token: string, email: string, nowMs: number): Promise<boolean> {
  return isSecret(token) && hasEmailClaim(db, mailedClaim(token, email), nowMs);
}

/** False if the token was no longer valid. */
export async function useEmailClaim(db: Queryable, token: string, email: string, nowMs: number): Promise<boolean> {
  return isSecret(token) && deleteEmailClaim(db, mailedClaim(token, email), nowMs);
}

function mailedClaim(token: string, email: string): MailedClaim {
  return { digest: secretDigest(token), emailDigest: emailDigest(email) };
}

const LIFE_MS = 24 * 3_600_000;

/**
 * Single-use, valid for 24 h; binds an account to the tenant.
 * @returns null if the tenant does not exist
 */
export async function createClaimToken(
  db: Queryable,
  tenantId: string,
  deps: Pick<AccountsDeps, 'clock' | 'randomBytes'>,
): Promise<{ claimToken: string; expiresTsMs: number } | null> {
  const claimToken = formatSecret(deps.randomBytes(SECRET_SIZE_BYTES));
  const nowMs = deps.clock();
  const expiresTsMs = nowMs + LIFE_MS;
  const isMade = await insertClaimToken(db, { digest: secretDigest(claimToken), tenantId, createdTsMs: nowMs, expiresTsMs });
  return isMade ? { claimToken, expiresTsMs } : null;
}
