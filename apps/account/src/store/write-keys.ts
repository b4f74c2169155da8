import type { Queryable } from '@market-state/postgres';
import type { KeyScope, StoredKey } from '../keys/key';
import { fromKeyRow, KEY_COLUMNS, type KeyRow } from './key-rows';

/** How many keys of a tenant are active at `nowMs`, and its plan; null for a tenant without one. */
export async function countActiveKeys(
  db: Queryable,
  tenantId: string,
  nowMs: number,
): Promise<{ readonly total: number; readonly planId: string | null }> {
  const { rows } = await db.query<{ total: number; plan_id: string | null }>(
    `SELECT (SELECT count(*)::int FROM api_key WHERE tenant_id = $1 AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > $2)) AS total,
            (SELECT plan_id FROM tenant WHERE id = $1) AS plan_id`,
    [tenantId, new Date(nowMs)],
  );
  return { total: rows[0]?.total ?? 0, planId: rows[0]?.plan_id ?? null };
}

export async function insertKey(db: Queryable, key: StoredKey): Promise<void> {
  await db.query(
    `INSERT INTO api_key (id, tenant_id, name, kind, scopes, digest, display_first, display_last, created_at, expires_at, operation_id)
     VALUES ($1, $2, $3, $4, $5::key_scope[], $6, $7, $8, $9, $10, $11)`,
    [
      key.id,
      key.tenantId,
      key.name,
      key.kind,
      key.scopes,
      key.digest,
      key.display.first,
      key.display.last,
      new Date(key.createdTsMs),
      toDate(key.expiresTsMs),
      key.operationId,
    ],
  );
}

/** The key of a tenant that an operation made, its row held until the transaction ends; null when it has made none. */
export async function holdKeyOfOperation(db: Queryable, tenantId: string, operationId: string): Promise<StoredKey | null> {
  const { rows } = await db.query<KeyRow>(
    `SELECT ${KEY_COLUMNS} FROM api_key k WHERE k.tenant_id = $1 AND k.operation_id = $2 FOR UPDATE`,
    [tenantId, operationId],
  );
  return rows[0] === undefined ? null : fromKeyRow(rows[0]);
}

/** Writes a key's digest and what is shown of its secret. */
export async function writeSecret(db: Queryable, { id, digest, display }: Pick<StoredKey, 'id' | 'digest' | 'display'>): Promise<void> {
  await db.query('UPDATE api_key SET digest = $2, display_first = $3, display_last = $4 WHERE id = $1', [
    id,
    digest,
    display.first,
    display.last,
  ]);
}

/** A tenant's key, its row held until the transaction ends; null for another tenant's as for none. */
export async function holdKey(db: Queryable, tenantId: string, keyId: string): Promise<StoredKey | null> {
  const { rows } = await db.query<KeyRow>(`SELECT ${KEY_COLUMNS} FROM api_key k WHERE k.id = $1 AND k.tenant_id = $2 FOR UPDATE`, [
    keyId,
    tenantId,
  ]);
  return rows[0] === undefined ? null : fromKeyRow(rows[0]);
}

/** Writes what of a key may change. */
export async function writeKey(
  db: Queryable,
  key: { id: string; name: string; scopes: readonly KeyScope[]; expiresTsMs: number | null },
): Promise<void> {
  await db.query('UPDATE api_key SET name = $2, scopes = $3::key_scope[], expires_at = $4 WHERE id = $1', [
    key.id,
    key.name,
    key.scopes,
    toDate(key.expiresTsMs),
  ]);
}

/** Ends a key that has not been revoked before; its tenant, or null when there is no such key (of `tenantId`, unless that is null). */
export async function revokeKey(
  db: Queryable,
  keyId: string,
  tenantId: string | null,
  nowMs: number,
): Promise<{ tenantId: string } | null> {
  const { rows } = await db.query<{ tenant_id: string }>(
    `UPDATE api_key SET revoked_at = coalesce(revoked_at, $3) WHERE id = $1 AND ($2::text IS NULL OR tenant_id = $2) RETURNING tenant_id`,
    [keyId, tenantId, new Date(nowMs)],
  );
  return rows[0] === undefined ? null : { tenantId: rows[0].tenant_id };
}

/** Ends every active key of a tenant now; those keys, oldest first. */
export async function revokeKeysOf(db: Queryable, tenantId: string, nowMs: number): Promise<StoredKey[]> {
  const { rows } = await db.query<KeyRow>(
    `UPDATE api_key k SET revoked_at = $2 WHERE k.tenant_id = $1 AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > $2) RETURNING ${KEY_COLUMNS}`,
    [tenantId, new Date(nowMs)],
  );
  return rows.map(fromKeyRow).sort((one, other) => one.createdTsMs - other.createdTsMs);
}

/** Writes a key's last use unless one after `unlessSinceMs` is there. */
export async function writeLastUsed(db: Queryable, keyId: string, usedTsMs: number, unlessSinceMs: number): Promise<void> {
  await db.query('UPDATE api_key SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $3)', [
    keyId,
    new Date(usedTsMs),
    new Date(unlessSinceMs),
  ]);
}

function toDate(tsMs: number | null): Date | null {
  return tsMs === null ? null : new Date(tsMs);
}
