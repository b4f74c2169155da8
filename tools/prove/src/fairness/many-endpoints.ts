import { randomBytes } from 'node:crypto';
import { formatWebhookSecret, sealSecret, type SealingKey } from '@market-state/webhook-signing';
import type { Pool } from 'pg';

/** An endpoint that is live without a test. */
export interface PlainEndpoint {
  readonly endpointId: string;
  readonly tenantId: string;
  readonly url: string;
}

/** Writes live endpoints that are sent `export.finished`, each with a secret of its own. */
export async function addEndpoints(owner: Pool, endpoints: readonly PlainEndpoint[], keys: readonly SealingKey[]): Promise<void> {
  const ids = endpoints.map(({ endpointId }) => endpointId);
  const tenants = endpoints.map(({ tenantId }) => tenantId);
  const urls = endpoints.map(({ url }) => url);
  const sealed = ids.map((endpointId) => sealSecret(formatWebhookSecret(randomBytes(32)), { keys, endpointId, nonce: randomBytes(12) }));
  await owner.query(
    `WITH added AS (SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS e (id, tenant, url, sealed)),
       endpoints AS (INSERT INTO endpoint (endpoint_id, tenant_id, plan_id, operation_id, url, description, event_kinds, symbols, status,
           disabled_reason, url_revision, failed_messages, created_ms, updated_ms)
         SELECT id, tenant, 'enterprise', id, url, '', '["export.finished"]', '[]', 'live', '', 1, 0, 1, 1 FROM added RETURNING endpoint_id),
       lanes AS (INSERT INTO lane (endpoint_id, tenant_id, ring, slow, breaker, breaker_until_ms)
         SELECT id, tenant, 0, false, '{}', 0 FROM added RETURNING 1)
     INSERT INTO endpoint_secret (secret_id, endpoint_id, sealed, created_ms) SELECT 'whk_' || id, id, sealed, 1 FROM added`,
    [ids, tenants, urls, sealed],
  );
  await owner.query(
    `INSERT INTO endpoint_topic (event_kind, symbol, tenant_id, endpoint_id) SELECT 'export.finished', '', * FROM unnest($1::text[], $2::text[]) AS t`,
    [tenants, ids],
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
