import type { Queryable } from '@market-state/postgres';

/** Tenants after `after` with a live endpoint that subscribes a kind of one symbol, by name. */
export async function subscribedTenants(
  on: Queryable,
  {
    eventKind,
    symbol,
    after,
    limit,
  }: { readonly eventKind: string; readonly symbol: string; readonly after: string; readonly limit: number },
): Promise<string[]> {
  const { rows } = await on.query<{ tenant_id: string }>(
    `SELECT DISTINCT topic.tenant_id FROM endpoint_topic topic
       JOIN endpoint ON endpoint.endpoint_id = topic.endpoint_id AND endpoint.status = 'live'
     WHERE topic.event_kind = $1 AND topic.symbol IN ('', $2) AND topic.tenant_id > $3 ORDER BY topic.tenant_id LIMIT $4`,
    [eventKind, symbol, after, limit],
  );
  return rows.map((row) => row.tenant_id);
}

export async function insertPayload(on: Queryable, payloadId: string, data: object, nowMs: number): Promise<void> {
  await on.query('INSERT INTO payload (payload_id, data, created_ms) VALUES ($1, $2, $3)', [payloadId, JSON.stringify(data), nowMs]);
}
