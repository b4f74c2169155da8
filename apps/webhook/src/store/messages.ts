import type { Queryable } from '@market-state/postgres';
import type { QueryConfig } from 'pg';
import type { MessageDraft } from '../messages/draft';
import { inSlices } from './in-slices';
import { jsonList, textList, textsOf } from './text-list';

/** A message with its id and its place in the order of its tenant. */
export interface PlacedMessage extends MessageDraft {
  readonly messageId: string;
  readonly position: number;
}

/** A message and an endpoint that it is sent to. */
export interface Receiver {
  readonly message: PlacedMessage;
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

/** Writes messages but those of an occasion that was told before. @returns those written */
export async function insertMessages(on: Queryable, messages: readonly PlacedMessage[], nowMs: number): Promise<readonly PlacedMessage[]> {
  const { rowTotal } = await inSlices(on, messages, (slice) => ({ statement: messagesStatement(slice, nowMs), result: undefined }));
  if (rowTotal === messages.length) return messages;
  const ids = messages.map(({ messageId }) => messageId);
  const { rows } = await on.query<{ message_id: string }>('SELECT message_id FROM message WHERE message_id = ANY($1)', [ids]);
  const written = new Set(rows.map((row) => row.message_id));
  return messages.filter(({ messageId }) => written.has(messageId));
}

function messagesStatement(messages: readonly PlacedMessage[], nowMs: number): QueryConfig {
  return {
    text: `INSERT INTO message (message_id, tenant_id, position, event_kind, occasion, symbol, created_ms, data, payload_id, meta)
      SELECT id, tenant, place::bigint, kind, occasion, coalesce(symbol, ''), $9, data::json, payload, meta::json
      FROM unnest(${[1, 2, 3, 4, 5, 6, 7, 8, 10].map((place) => textsOf(`$${place}`)).join(', ')})
        AS m (id, tenant, place, kind, occasion, symbol, data, payload, meta)
      ON CONFLICT (tenant_id, occasion) DO NOTHING`,
    values: [
      textList(messages.map(({ messageId }) => messageId)),
      textList(messages.map(({ tenantId }) => tenantId)),
      textList(messages.map(({ position }) => String(position))),
      textList(messages.map(({ eventKind }) => eventKind)),
      textList(messages.map(({ occasion }) => occasion)),
      textList(messages.map(({ symbol }) => symbol)),
      jsonList(messages.map(({ data }) => data)),
      textList(messages.map(({ payloadId }) => payloadId ?? null)),
      nowMs,
      jsonList(messages.map(({ meta }) => meta)),
    ],
  };
}

/** Who is sent what: the live endpoints that subscribe it, or the one that a message names. */
export async function findReceivers(on: Queryable, messages: readonly PlacedMessage[]): Promise<Receiver[]> {
  const sent = [...byAudience(messages.filter(({ pullOnly }) => pullOnly !== true)).values()];
  if (sent.length === 0) return [];
  const audiences = sent.flatMap(([first]) => (first === undefined ? [] : [first]));
  const { rows } = await on.query<{ place: number; endpoint_id: string }>(
    `WITH m AS (SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
         WITH ORDINALITY AS m (tenant, kind, symbol, only_one, not_one, place))
     SELECT DISTINCT m.place::int AS place, endpoint.endpoint_id FROM m
       JOIN endpoint_topic topic ON topic.tenant_id = m.tenant AND topic.event_kind = m.kind AND (topic.symbol = '' OR topic.symbol = m.symbol)
       JOIN endpoint ON endpoint.endpoint_id = topic.endpoint_id AND endpoint.status = 'live'
       WHERE m.only_one IS NULL AND (m.not_one IS NULL OR m.not_one <> endpoint.endpoint_id)
     UNION
     SELECT m.place::int, endpoint.endpoint_id FROM m
       JOIN endpoint ON endpoint.endpoint_id = m.only_one AND endpoint.tenant_id = m.tenant AND endpoint.status <> 'disabled'`,
    [
      audiences.map(({ tenantId }) => tenantId),
      audiences.map(({ eventKind }) => eventKind),
      audiences.map(({ symbol }) => symbol),
      audiences.map(({ onlyEndpointId }) => onlyEndpointId ?? null),
      audiences.map(({ exceptEndpointId }) => exceptEndpointId ?? null),
    ],
  );
  return rows.flatMap(({ place, endpoint_id: endpointId }) => (sent[place - 1] ?? []).map((message) => ({ message, endpointId })));
}

/** Messages by who is sent them. */
function byAudience(messages: readonly PlacedMessage[]): ReadonlyMap<string, PlacedMessage[]> {
  const audiences = new Map<string, PlacedMessage[]>();
  for (const message of messages) {
    const { tenantId, eventKind, symbol, onlyEndpointId = '', exceptEndpointId = '' } = message;
    const audience = [tenantId, eventKind, symbol, onlyEndpointId, exceptEndpointId].join(' ');
    const known = audiences.get(audience);
    if (known === undefined) audiences.set(audience, [message]);
    else known.push(message);
  }
  return audiences;
}

/** Writes deliveries that are due now. */
export async function insertDeliveries(
  on: Queryable,
  deliveries: readonly (Receiver & { readonly deliveryId: string })[],
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
      deliveries.map(({ message }) => message.messageId),
      deliveries.map(({ endpointId }) => endpointId),
      deliveries.map(({ message }) => message.tenantId),
      deliveries.map(({ message }) => message.eventKind),
      deliveries.map(({ message }) => message.credits),
      nowMs,
    ],
  );
}
