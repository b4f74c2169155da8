import type { Queryable } from '@market-state/postgres';
import type { MessageDraft } from '../messages/draft';
import { jsonList, textsOf } from './json-list';

/** A message with its id and its place in the order of its tenant. */
export interface PlacedMessage extends MessageDraft {
  readonly messageId: string;
  readonly position: number;
}

export interface Receiver {
  readonly messageId: string;
  readonly endpointId: string;
}

/**
 * Sets places in the order of each tenant aside, and gives the first of them. The rows stay locked until the transaction ends, so that
 * messages become visible in their order; tenants are taken by name, so that no two transactions wait for each other.
 */
export async function takePositions(on: Queryable, counts: ReadonlyMap<string, number>): Promise<Map<string, number>> {
  const tenants = [...counts.keys()].sort();
  const { rows } = await on.query<{ tenant_id: string; newest: string }>(
    `INSERT INTO message_order (tenant_id, newest) SELECT * FROM unnest($1::text[], $2::bigint[])
     ON CONFLICT (tenant_id) DO UPDATE SET newest = message_order.newest + excluded.newest RETURNING tenant_id, newest`,
    [tenants, tenants.map((tenant) => counts.get(tenant))],
  );
  return new Map(rows.map(({ tenant_id: tenant, newest }) => [tenant, Number(newest) - (counts.get(tenant) ?? 0) + 1]));
}

/**
 * Counts messages about packets to the day of each tenant, days numbered since 1970, once places were taken: the rows are locked then.
 * @returns how many were counted to it before these
 */
export async function countAboutPackets(on: Queryable, counts: ReadonlyMap<string, number>, day: number): Promise<Map<string, number>> {
  const { rows } = await on.query<{ tenant: string; before: number }>(
    `UPDATE message_order SET day = greatest(day, $3),
       about_packets = c.total + CASE WHEN day < $3 THEN 0 ELSE about_packets END
     FROM unnest($1::text[], $2::int[]) AS c (tenant, total) WHERE tenant_id = c.tenant RETURNING tenant_id AS tenant, about_packets - c.total AS before`,
    [[...counts.keys()], [...counts.values()], day],
  );
  return new Map(rows.map(({ tenant, before }) => [tenant, before]));
}

/** Writes messages but those of an occasion that was told before. @returns ids of those written */
export async function insertMessages(on: Queryable, messages: readonly PlacedMessage[], nowMs: number): Promise<Set<string>> {
  const payloadOf = ({ data }: PlacedMessage): string | null => ('payloadId' in data ? data.payloadId : null);
  const { rows } = await on.query<{ message_id: string }>(
    `INSERT INTO message (message_id, tenant_id, position, event_kind, occasion, symbol, created_ms, data, payload_id, meta)
     SELECT id, tenant, place, kind, occasion, symbol, $9, data::json, payload, meta::json
     FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], ${textsOf('$7')}, $8::text[], ${textsOf('$10')})
       AS m (id, tenant, place, kind, occasion, symbol, data, payload, meta)
     ON CONFLICT (tenant_id, occasion) DO NOTHING RETURNING message_id`,
    [
      messages.map(({ messageId }) => messageId),
      messages.map(({ tenantId }) => tenantId),
      messages.map(({ position }) => position),
      messages.map(({ eventKind }) => eventKind),
      messages.map(({ occasion }) => occasion),
      messages.map(({ symbol }) => symbol),
      jsonList(messages.map((message) => (payloadOf(message) === null ? message.data : null))),
      messages.map(payloadOf),
      nowMs,
      jsonList(messages.map(({ meta }) => meta)),
    ],
  );
  return new Set(rows.map((row) => row.message_id));
}

/** Who is sent what: the live endpoints that subscribe it, or the one that a message names. */
export async function findReceivers(on: Queryable, messages: readonly PlacedMessage[]): Promise<Receiver[]> {
  const sent = messages.filter(({ pullOnly }) => pullOnly !== true);
  if (sent.length === 0) return [];
  const { rows } = await on.query<{ message_id: string; endpoint_id: string }>(
    `WITH m AS (
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) AS m (id, tenant, kind, symbol, only_one, not_one))
     SELECT DISTINCT m.id AS message_id, endpoint.endpoint_id FROM m
       JOIN endpoint_topic topic ON topic.tenant_id = m.tenant AND topic.event_kind = m.kind AND (topic.symbol = '' OR topic.symbol = m.symbol)
       JOIN endpoint ON endpoint.endpoint_id = topic.endpoint_id AND endpoint.status = 'live'
       WHERE m.only_one IS NULL AND (m.not_one IS NULL OR m.not_one <> endpoint.endpoint_id)
     UNION
     SELECT m.id, endpoint.endpoint_id FROM m
       JOIN endpoint ON endpoint.endpoint_id = m.only_one AND endpoint.tenant_id = m.tenant AND endpoint.status <> 'disabled'`,
    [
      sent.map(({ messageId }) => messageId),
      sent.map(({ tenantId }) => tenantId),
      sent.map(({ eventKind }) => eventKind),
      sent.map(({ symbol }) => symbol),
      sent.map(({ onlyEndpointId }) => onlyEndpointId ?? null),
      sent.map(({ exceptEndpointId }) => exceptEndpointId ?? null),
    ],
  );
  return rows.map((row) => ({ messageId: row.message_id, endpointId: row.endpoint_id }));
}

/** Writes deliveries that are due now. */
export async function insertDeliveries(
  on: Queryable,
  deliveries: readonly (Receiver & Pick<MessageDraft, 'tenantId' | 'eventKind' | 'credits'> & { readonly deliveryId: string })[],
  nowMs: number,
): Promise<void> {
  if (deliveries.length === 0) return;
  await on.query(
    `INSERT INTO delivery (delivery_id, message_id, endpoint_id, tenant_id, event_kind, status, due_ms, schedule_step, attempts, credits, charged,
       created_ms, updated_ms)
     SELECT id, message, endpoint, tenant, kind, 'waiting', $7, 0, 0, credits, credits = 0, $7, $7
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[]) AS d (id, message, endpoint, tenant, kind, credits)
     ON CONFLICT (message_id, endpoint_id) DO NOTHING`,
    [
      deliveries.map(({ deliveryId }) => deliveryId),
      deliveries.map(({ messageId }) => messageId),
      deliveries.map(({ endpointId }) => endpointId),
      deliveries.map(({ tenantId }) => tenantId),
      deliveries.map(({ eventKind }) => eventKind),
      deliveries.map(({ credits }) => credits),
      nowMs,
    ],
  );
}
