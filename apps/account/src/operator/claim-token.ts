import { formatSecret, SECRET_SIZE_BYTES, secretDigest } from '@market-state/credentials';
import { notFound } from '@market-state/errors';
import type { TenantDeps } from './tenants';

const CLAIM_TOKEN_MS = 24 * 3_600_000;

export interface MadeClaimToken {
  /** Told once, kept nowhere. */
  readonly claimToken: string;
  /** Milliseconds since the epoch. */
  readonly expiresMs: number;
}

/** A token that binds one account to the tenant within 24 h. @throws ServiceError NOT_FOUND with reason `unknown_tenant` */
export async function makeClaimToken({ pool, clock, randomBytes }: TenantDeps, tenantId: string): Promise<MadeClaimToken> {
  const claimToken = formatSecret(randomBytes(SECRET_SIZE_BYTES));
  const nowMs = clock();
  const expiresMs = nowMs + CLAIM_TOKEN_MS;
  const { rowCount } = await pool.query(
    'INSERT INTO claim_token (digest, tenant_id, created_at, expires_at) SELECT $1, id, $3, $4 FROM tenant WHERE id = $2',
    [secretDigest(claimToken), tenantId, new Date(nowMs), new Date(expiresMs)],
  );
  if (rowCount !== 1) throw notFound('unknown_tenant', 'There is no such tenant.');
  return { claimToken, expiresMs };
}
