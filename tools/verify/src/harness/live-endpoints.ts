import type { Pool } from 'pg';

/** An endpoint that is live without a test. */
export interface LiveEndpoint {
  readonly endpointId: string;
  readonly tenantId: string;
  readonly url: string;
}

/** Writes live endpoints of a plan, subscribed to kinds of events of every symbol, each with its lane. */
export async function addLiveEndpoints(
  owner: Pool,
  endpoints: readonly LiveEndpoint[],
  { planId, kinds }: { readonly planId: string; readonly kinds: readonly string[] },
): Promise<void> {
  await owner.query(
    `WITH added AS (SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) AS e (id, tenant, url)),
       endpoints AS (INSERT INTO endpoint (endpoint_id, tenant_id, plan_id, operation_id, url, description, event_kinds, symbols, status,
           disabled_reason, url_revision, failed_messages, created_ms, updated_ms)
         SELECT id, tenant, $4, 'op_' || id, url, '', to_jsonb($5::text[]), '[]', 'live', '', 1, 0, 1, 1 FROM added RETURNING endpoint_id, tenant_id),
       lanes AS (INSERT INTO lane (endpoint_id, tenant_id, ring, slow, breaker, breaker_until_ms)
         SELECT endpoint_id, tenant_id, 0, false, '{}', 0 FROM endpoints)
     INSERT INTO endpoint_topic (event_kind, symbol, tenant_id, endpoint_id)
     SELECT kind, '', tenant_id, endpoint_id FROM endpoints CROSS JOIN unnest($5::text[]) AS k (kind)`,
    [
      endpoints.map(({ endpointId }) => endpointId),
      endpoints.map(({ tenantId }) => tenantId),
      endpoints.map(({ url }) => url),
      planId,
      kinds,
    ],
  );
}
