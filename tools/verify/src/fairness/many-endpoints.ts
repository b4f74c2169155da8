import { randomBytes } from 'node:crypto';
import { formatWebhookSecret, sealSecret, type SealingKey } from '@market-state/webhook-signing';
import type { Pool } from 'pg';
import { addLiveEndpoints, type LiveEndpoint } from '../harness';

/** Writes live endpoints that are sent `export.finished`, each with a secret of its own. */
export async function addEndpoints(owner: Pool, endpoints: readonly LiveEndpoint[], keys: readonly SealingKey[]): Promise<void> {
  await addLiveEndpoints(owner, endpoints, { planId: 'enterprise', kinds: ['export.finished'] });
  const ids = endpoints.map(({ endpointId }) => endpointId);
  const sealed = ids.map((endpointId) => sealSecret(formatWebhookSecret(randomBytes(32)), { keys, endpointId, nonce: randomBytes(12) }));
  await owner.query(
    `INSERT INTO endpoint_secret (secret_id, endpoint_id, sealed, created_ms)
     SELECT 'whk_' || id, id, sealed, 1 FROM unnest($1::text[], $2::text[]) AS s (id, sealed)`,
    [ids, sealed],
  );
}

/** Times from the commit of messages to their 2xx, milliseconds, of the endpoints and messages that are named. */
export async function deliveredAfterMs(pool: Pool, part: string, sinceMs: number, untilMs: number): Promise<number[]> {
  const { rows } = await pool.query<{ ms: number }>(
    `SELECT (attempt.started_ms + attempt.duration_ms - message.created_ms)::float8 AS ms FROM attempt JOIN message USING (message_id)
     WHERE attempt.outcome = 'ok' AND attempt.endpoint_id LIKE $1 AND message.created_ms BETWEEN $2 AND $3`,
    [`${part}%`, sinceMs, untilMs],
  );
  return rows.map(({ ms }) => ms);
}

/** Deliveries of a part that have not arrived. */
export async function countMissing(pool: Pool, part: string): Promise<number> {
  const { rows } = await pool.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM delivery WHERE endpoint_id LIKE $1 AND status <> 'delivered'`,
    [`${part}%`],
  );
  return rows[0]?.total ?? 0;
}
