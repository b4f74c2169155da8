import type { Queryable } from '@market-state/postgres';

/** A tenant with live endpoints that subscribe something. */
export interface SubscribedTenant {
  readonly tenantId: string;
  /** How many they are. */
  readonly endpoints: number;
  /** Plans that they are under: one, but for moments around a change of plan. */
  readonly planIds: readonly string[];
}

/** Tenants after `after` with a live endpoint that subscribes a kind of one symbol, by name. */
export async function subscribedTenants(
  on: Queryable,
  {
    eventKind,
    symbol,
    after,
    limit,
  }: { readonly eventKind: string; readonly symbol: string; readonly after: string; readonly limit: number },
): Promise<SubscribedTenant[]> {
  const { rows } = await on.query<SubscribedTenant>(
    `SELECT topic.tenant_id AS "tenantId", count(DISTINCT topic.endpoint_id)::int AS endpoints, array_agg(DISTINCT endpoint.plan_id) AS "planIds"
     FROM endpoint_topic topic JOIN endpoint ON endpoint.endpoint_id = topic.endpoint_id AND endpoint.status = 'live'
     WHERE topic.event_kind = $1 AND topic.symbol IN ('', $2) AND topic.tenant_id > $3
     GROUP BY topic.tenant_id ORDER BY topic.tenant_id LIMIT $4`,
    [eventKind, symbol, after, limit],
  );
  return rows;
}
