import { formatSecret, SECRET_SIZE_BYTES, secretDigest } from '@market-state/credentials';
import type { Queryable } from '@market-state/postgres';

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
  const { rowCount } = await db.query(
    'INSERT INTO claim_token (digest, tenant_id, created_at, expires_at) SELECT $1, id, $3, $4 FROM tenant WHERE id = $2',
    [secretDigest(claimToken), tenantId, new Date(nowMs), new Date(nowMs + LIFE_MS)],
  );
  return rowCount === 1 ? { claimToken, expiresTsMs: nowMs + LIFE_MS } : null;
}
