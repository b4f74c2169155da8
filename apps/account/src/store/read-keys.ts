import type { Queryable } from '@market-state/postgres';
import type { KeyChange, KeyOfTenant, StoredKey } from '../keys/key';
import { fromKeyOfTenantRow, fromKeyRow, KEY_COLUMNS, type KeyRow } from './key-rows';

/** Where a page of keys goes on: behind the key of this time and id. */
export interface KeyPlace {
  readonly atMs: number;
  readonly id: string;
}

export async function findKeyByDigest(db: Queryable, digest: Uint8Array): Promise<KeyOfTenant | null> {
  const { rows } = await db.query<KeyRow & { plan_id: string | null; disabled: boolean }>({
    name: 'find-key-by-digest',
    text: `SELECT ${KEY_COLUMNS}, t.plan_id, t.disabled FROM api_key k JOIN tenant t ON t.id = k.tenant_id WHERE k.digest = $1`,
    values: [digest],
  });
  return rows[0] === undefined ? null : fromKeyOfTenantRow(rows[0]);
}

/**
 * Whether a digest is that of a key with scope `account`, or of a session, of the tenant that has not ended; the tenant is not disabled.
 */
export async function isCredentialOf(db: Queryable, tenantId: string, digest: Uint8Array, nowMs: number): Promise<boolean> {
  const { rows } = await db.query<{ good: boolean }>(
    `SELECT NOT t.disabled AND (
       EXISTS (SELECT FROM api_key WHERE digest = $2 AND tenant_id = $1 AND 'account' = ANY(scopes) AND revoked_at IS NULL
       AND (expires_at IS NULL OR expires_at > $3))
       OR EXISTS (SELECT FROM session s JOIN account a ON a.id = s.account_id WHERE s.digest = $2 AND a.tenant_id = $1
       AND s.expires_at > $3)) AS good
     FROM tenant t WHERE t.id = $1`,
    [tenantId, digest, new Date(nowMs)],
  );
  return rows[0]?.good === true;
}

/** Keys of a tenant, newest first, behind `after`. */
export async function listKeys(db: Queryable, tenantId: string, limit: number, after: KeyPlace | null): Promise<StoredKey[]> {
  const { rows } = await db.query<KeyRow>(
    `SELECT ${KEY_COLUMNS} FROM api_key k
     WHERE k.tenant_id = $1 AND ($3::timestamptz IS NULL OR (k.created_at, k.id) < ($3, $4))
     ORDER BY k.created_at DESC, k.id DESC LIMIT $2`,
    [tenantId, limit, after === null ? null : new Date(after.atMs), after?.id ?? null],
  );
  return rows.map(fromKeyRow);
}

/** Keys not revoked whose end lies after `fromMs` and at or before `toMs`. */
export async function findExpiredKeys(db: Queryable, fromMs: number, toMs: number): Promise<KeyChange[]> {
  const { rows } = await db.query<{ id: string; digest: Buffer }>(
    'SELECT id, digest FROM api_key WHERE revoked_at IS NULL AND expires_at > $1 AND expires_at <= $2',
    [new Date(fromMs), new Date(toMs)],
  );
  return rows.map((row) => ({ keyId: row.id, digest: row.digest }));
}
