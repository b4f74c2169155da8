import { type Queryable, run } from '@market-state/postgres';
import type { Selectable } from 'kysely';
import type { EndpointSecret } from './generated/tables';
import { tables } from './tables';

export interface StoredSecret {
  readonly secretId: string;
  readonly endpointId: string;
  readonly sealed: string;
  readonly createdMs: number;
  readonly expiresMs: number | null;
}

function fromRow(row: Selectable<EndpointSecret>): StoredSecret {
  return {
    secretId: row.secret_id,
    endpointId: row.endpoint_id,
    sealed: row.sealed,
    createdMs: Number(row.created_ms),
    expiresMs: row.expires_ms === null ? null : Number(row.expires_ms),
  };
}

export async function insertSecret(
  on: Queryable,
  { secretId, endpointId, sealed, createdMs }: Omit<StoredSecret, 'expiresMs'>,
): Promise<void> {
  await run(
    on,
    tables
      .insertInto('endpoint_secret')
      .values({ secret_id: secretId, endpoint_id: endpointId, sealed, created_ms: String(createdMs), expires_ms: null }),
  );
}

export async function deleteSecrets(on: Queryable, endpointId: string): Promise<void> {
  await run(on, tables.deleteFrom('endpoint_secret').where('endpoint_id', '=', endpointId));
}

export async function listSealedOtherwise(
  on: Queryable,
  { keyId, after, limit }: { readonly keyId: string; readonly after: string; readonly limit: number },
): Promise<StoredSecret[]> {
  const { rows } = await on.query<Selectable<EndpointSecret>>(
    `SELECT * FROM endpoint_secret WHERE secret_id > $1 AND split_part(sealed, ':', 1) <> $2 ORDER BY secret_id LIMIT $3`,
    [after, keyId, limit],
  );
  return rows.map(fromRow);
}

/** Replaces sealed texts, except of secrets deleted or resealed concurrently. */
export async function replaceSealed(
  on: Queryable,
  secrets: readonly (Pick<StoredSecret, 'secretId' | 'sealed'> & { readonly resealed: string })[],
): Promise<number> {
  const { rowCount } = await on.query(
    `UPDATE endpoint_secret SET sealed = s.resealed FROM unnest($1::text[], $2::text[], $3::text[]) AS s (id, before, resealed)
     WHERE secret_id = s.id AND sealed = s.before`,
    [secrets.map(({ secretId }) => secretId), secrets.map(({ sealed }) => sealed), secrets.map(({ resealed }) => resealed)],
  );
  return rowCount ?? 0;
}

export async function listSecrets(on: Queryable, endpointIds: readonly string[], nowMs: number): Promise<StoredSecret[]> {
  const { rows } = await on.query<Selectable<EndpointSecret>>(
    `SELECT * FROM endpoint_secret WHERE endpoint_id = ANY($1) AND (expires_ms IS NULL OR expires_ms > $2)
     ORDER BY expires_ms IS NOT NULL, created_ms DESC, secret_id DESC`,
    [endpointIds, nowMs],
  );
  return rows.map(fromRow);
}

/**
 * Prepares for a new secret: the newest signs until `untilMs`, older ones at most until then, and only the `keep`
 * newest remain.
 */
export async function retireSecrets(
  on: Queryable,
  endpointId: string,
  { untilMs, nowMs, keep }: { readonly untilMs: number; readonly nowMs: number; readonly keep: number },
): Promise<void> {
  await on.query('UPDATE endpoint_secret SET expires_ms = least(coalesce(expires_ms, $2), $2) WHERE endpoint_id = $1', [
    endpointId,
    untilMs,
  ]);
  await on.query(
    `DELETE FROM endpoint_secret WHERE endpoint_id = $1 AND (expires_ms <= $2 OR secret_id NOT IN (
       SELECT secret_id FROM endpoint_secret WHERE endpoint_id = $1 ORDER BY created_ms DESC, secret_id DESC LIMIT $3))`,
    [endpointId, nowMs, keep],
  );
}
