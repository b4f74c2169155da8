import type { Queryable } from '@market-state/postgres';

export async function forgetBodies(on: Queryable, beforeMs: number, limit: number): Promise<number> {
  const { rowCount } = await on.query(
    `UPDATE message SET data = NULL, meta = NULL, payload_id = NULL WHERE message_id = ANY(ARRAY(
       SELECT message_id FROM message WHERE created_ms < $1 AND (data IS NOT NULL OR meta IS NOT NULL) ORDER BY created_ms LIMIT $2))`,
    [beforeMs, limit],
  );
  return rowCount ?? 0;
}

export async function forgetPayloads(on: Queryable, beforeMs: number, limit: number): Promise<number> {
  const { rowCount } = await on.query(
    'DELETE FROM payload WHERE payload_id = ANY(ARRAY(SELECT payload_id FROM payload WHERE created_ms < $1 LIMIT $2))',
    [beforeMs, limit],
  );
  return rowCount ?? 0;
}

export interface MessageCursor {
  readonly createdMs: number;
  readonly messageId: string;
}

/** SQL condition: pending, being sent, charge not confirmed, or counted by a task. */
const IS_OPEN = `delivery.due_ms IS NOT NULL OR delivery.claimed_ms IS NOT NULL
  OR (delivery.status = 'delivered' AND NOT delivery.charged AND delivery.credits > 0)
  OR EXISTS (SELECT FROM task WHERE task.task_id = delivery.task_id)`;

/**
 * Without receipts or open deliveries; examines at most `limit` after a position.
 * @returns position of the last one examined; undefined at the end
 */
export async function forgetMessages(
  on: Queryable,
  { beforeMs, after, limit }: { readonly beforeMs: number; readonly after: MessageCursor | undefined; readonly limit: number },
): Promise<MessageCursor | undefined> {
  const { rows } = await on.query<MessageCursor>(
    `WITH looked AS (SELECT message_id, created_ms FROM message
         WHERE data IS NULL AND meta IS NULL AND created_ms < $1 AND (created_ms, message_id) > ($2, $3) ORDER BY created_ms, message_id LIMIT $4),
       free AS (SELECT message_id FROM looked
         LEFT JOIN LATERAL (SELECT 1 AS kept FROM attempt WHERE attempt.message_id = looked.message_id LIMIT 1) AS receipt ON true
         LEFT JOIN LATERAL (SELECT 1 AS kept FROM delivery WHERE delivery.message_id = looked.message_id AND (${IS_OPEN}) LIMIT 1) AS open ON true
         WHERE receipt.kept IS NULL AND open.kept IS NULL),
       gone AS (DELETE FROM message WHERE message_id = ANY(ARRAY(SELECT message_id FROM free)))
     SELECT created_ms::float8 AS "createdMs", message_id AS "messageId" FROM looked ORDER BY created_ms DESC, message_id DESC`,
    [beforeMs, after?.createdMs ?? 0, after?.messageId ?? '', limit],
  );
  return rows.length < limit ? undefined : rows[0];
}

export async function forgetTasks(on: Queryable, beforeMs: number): Promise<void> {
  await on.query('DELETE FROM task WHERE finished_ms < $1', [beforeMs]);
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

export interface LongestDue {
  readonly healthyS: number;
  readonly troubledS: number;
}

/** Counts claimable deliveries only: if all slots of an endpoint are taken, its deliveries are not due. */
export async function findLongestDue(on: Queryable, nowMs: number): Promise<LongestDue> {
  const { rows } = await on.query<LongestDue>(
    `SELECT coalesce(max($1 - next_due_ms) FILTER (WHERE NOT troubled), 0)::float8 / 1000 AS "healthyS",
       coalesce(max($1 - next_due_ms) FILTER (WHERE troubled), 0)::float8 / 1000 AS "troubledS"
     FROM (SELECT next_due_ms, slow OR breaker_until_ms > $1 AS troubled FROM lane JOIN endpoint USING (endpoint_id)
       WHERE next_due_ms <= $1 AND endpoint.status = 'live') AS due`,
    [nowMs],
  );
  return rows[0] ?? { healthyS: 0, troubledS: 0 };
}
