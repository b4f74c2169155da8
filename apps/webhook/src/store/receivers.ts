import type { Queryable } from '@market-state/postgres';
import type { PlacedMessage } from './messages';

interface Receiver {
  readonly message: PlacedMessage;
  readonly endpointId: string;
  /** Messages are collected for this long; 0: sent immediately. */
  readonly digestMinutes: number;
}

type Audience = readonly PlacedMessage[];

/** Groups messages by receivers; pull-only messages have none. */
export function createAudiences(): { add(messages: readonly PlacedMessage[]): void; list(): readonly Audience[] } {
  const audiences = new Map<string, PlacedMessage[]>();
  return {
    add(messages) {
      for (const message of messages) {
        const { tenantId, eventKind, symbol, pullOnly, onlyEndpointId = '', exceptEndpointId = '' } = message.draft;
        if (pullOnly === true) continue;
        const audience = [tenantId, eventKind, symbol, onlyEndpointId, exceptEndpointId].join(' ');
        const known = audiences.get(audience);
        if (known === undefined) audiences.set(audience, [message]);
        else known.push(message);
      }
    },
    list: () => [...audiences.values()],
  };
}

/** Live endpoints that subscribe to a message, or the one it names. */
export async function findReceivers(on: Queryable, sent: readonly Audience[]): Promise<Receiver[]> {
  if (sent.length === 0) return [];
  const audiences = sent.flatMap(([first]) => (first === undefined ? [] : [first.draft]));
  const { rows } = await on.query<{ place: number; endpoint_id: string; digest_minutes: number }>(
    `WITH m AS (SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
         WITH ORDINALITY AS m (tenant, kind, symbol, only_one, not_one, place))
     SELECT DISTINCT m.place::int AS place, endpoint.endpoint_id, endpoint.digest_minutes FROM m
       JOIN endpoint_topic topic ON topic.tenant_id = m.tenant AND topic.event_kind = m.kind AND (topic.symbol = '' OR topic.symbol = m.symbol)
       JOIN endpoint ON endpoint.endpoint_id = topic.endpoint_id AND endpoint.status = 'live'
       WHERE m.only_one IS NULL AND (m.not_one IS NULL OR m.not_one <> endpoint.endpoint_id)
     UNION
     SELECT m.place::int, endpoint.endpoint_id, 0 FROM m
       JOIN endpoint ON endpoint.endpoint_id = m.only_one AND endpoint.tenant_id = m.tenant AND endpoint.status <> 'disabled'`,
    [
      audiences.map(({ tenantId }) => tenantId),
      audiences.map(({ eventKind }) => eventKind),
      audiences.map(({ symbol }) => symbol),
      audiences.map(({ onlyEndpointId }) => onlyEndpointId ?? null),
      audiences.map(({ exceptEndpointId }) => exceptEndpointId ?? null),
    ],
  );
  return rows.flatMap(({ place, endpoint_id: endpointId, digest_minutes: digestMinutes }) =>
    (sent[place - 1] ?? []).map((message) => ({ message, endpointId, digestMinutes })),
  );
}

export async function insertDeliveries(
  on: Queryable,
  deliveries: readonly (Receiver & { readonly deliveryId: string })[],
  nowMs: number,
): Promise<void> {
  if (deliveries.length === 0) return;
  await on.query(
    `INSERT INTO delivery (delivery_id, message_id, endpoint_id, tenant_id, event_kind, status, due_ms, schedule_step, attempts, credits, charged,
       created_ms, updated_ms)
     SELECT id, message, endpoint, tenant, kind, 'waiting', due, 0, 0, credits, credits = 0, $7, $7
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[], $8::bigint[])
       AS d (id, message, endpoint, tenant, kind, credits, due)
     ON CONFLICT (message_id, endpoint_id) DO NOTHING`,
    [
      deliveries.map(({ deliveryId }) => deliveryId),
      deliveries.map(({ message }) => message.messageId),
      deliveries.map(({ endpointId }) => endpointId),
      deliveries.map(({ message }) => message.draft.tenantId),
      deliveries.map(({ message }) => message.draft.eventKind),
      deliveries.map(({ message }) => message.draft.credits),
      nowMs,
      deliveries.map(({ digestMinutes }) => dueMsOf(digestMinutes, nowMs)),
    ],
  );
}

const MINUTE_MS = 60_000;

/** Digests are due at multiples of their length, so that all messages of one are due together. */
function dueMsOf(digestMinutes: number, nowMs: number): number {
  if (digestMinutes === 0) return nowMs;
  const lengthMs = digestMinutes * MINUTE_MS;
  return (Math.floor(nowMs / lengthMs) + 1) * lengthMs;
}

export interface SubscribedTenant {
  readonly tenantId: string;
  readonly endpoints: number;
  /** Usually one plan; several only briefly around a plan change. */
  readonly planIds: readonly string[];
}

/** Sorted by id, after `after`, each with a live endpoint that subscribes to this kind and symbol. */
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
