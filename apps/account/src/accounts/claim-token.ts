import { formatSecret, SECRET_SIZE_BYTES, secretDigest } from '@market-state/credentials';
import type { Queryable } from '@market-state/postgres';
import { insertClaimToken } from '../store/claim-tokens';

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
