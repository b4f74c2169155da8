import type { Queryable } from '@market-state/postgres';

/** Empties messages that were made before an instant, at most `limit`. @returns how many */
export async function forgetBodies(on: Queryable, beforeMs: number, limit: number): Promise<number> {
  const { rowCount } = await on.query(
    `UPDATE message SET data = NULL, meta = NULL WHERE message_id IN (
       SELECT message_id FROM message WHERE created_ms < $1 AND (data IS NOT NULL OR meta IS NOT NULL) LIMIT $2)`,
    [beforeMs, limit],
  );
  return rowCount ?? 0;
}

/** Forgets payloads that messages from before an instant shared, at most `limit`. @returns how many */
export async function forgetPayloads(on: Queryable, beforeMs: number, limit: number): Promise<number> {
  const { rowCount } = await on.query(
    'DELETE FROM payload WHERE payload_id IN (SELECT payload_id FROM payload WHERE created_ms < $1 LIMIT $2)',
    [beforeMs, limit],
  );
  return rowCount ?? 0;
}

export async function forgetSecrets(on: Queryable, nowMs: number): Promise<void> {
  await on.query('DELETE FROM endpoint_secret WHERE expires_ms <= $1', [nowMs]);
}

export async function countOpenBreakers(on: Queryable, nowMs: number): Promise<number> {
  const { rows } = await on.query<{ total: number }>('SELECT count(*)::int AS total FROM lane WHERE breaker_until_ms > $1', [nowMs]);
  return rows[0]?.total ?? 0;
}

export async function countEndpoints(on: Queryable): Promise<ReadonlyMap<string, number>> {
  const { rows } = await on.query<{ status: string; total: number }>('SELECT status, count(*)::int AS total FROM endpoint GROUP BY status');
  return new Map(rows.map(({ status, total }) => [status, total]));
}
