import { type Queryable, run } from '@market-state/postgres';
import { tables } from './tables';

/** A claim token of a tenant. Times are milliseconds since the epoch. */
export interface NewClaimToken {
  /** SHA-256 of the token. */
  readonly digest: Buffer;
  readonly tenantId: string;
  readonly createdTsMs: number;
  readonly expiresTsMs: number;
}

/** @returns false when there is no such tenant */
export async function insertClaimToken(on: Queryable, { digest, tenantId, createdTsMs, expiresTsMs }: NewClaimToken): Promise<boolean> {
  const { rowCount } = await on.query(
    'INSERT INTO claim_token (digest, tenant_id, created_at, expires_at) SELECT $1, id, $3, $4 FROM tenant WHERE id = $2',
    [digest, tenantId, new Date(createdTsMs), new Date(expiresTsMs)],
  );
  return rowCount === 1;
}

/** Uses a claim token up. @returns its tenant; null when there is no such token, or it was used, or has expired */
export async function useClaimToken(on: Queryable, digest: Buffer, nowMs: number): Promise<string | null> {
  const now = new Date(nowMs);
  const { rows } = await run(
    on,
    tables
      .updateTable('claim_token')
      .set({ used_at: now })
      .where('digest', '=', digest)
      .where('used_at', 'is', null)
      .where('expires_at', '>', now)
      .returning('tenant_id'),
  );
  return rows[0]?.tenant_id ?? null;
}

export async function deleteExpiredClaimTokens(on: Queryable, nowMs: number): Promise<void> {
  await run(on, tables.deleteFrom('claim_token').where('expires_at', '<=', new Date(nowMs)));
}
