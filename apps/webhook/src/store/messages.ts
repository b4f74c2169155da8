import type { Queryable } from '@market-state/postgres';
import type { QueryConfig } from 'pg';
import type { MessageDraft, MessageRow } from '../messages/message';
import { inSlices, jsonList, textList, textsOf } from './bulk-write';

export const WITH_PAYLOAD = 'LEFT JOIN payload ON payload.payload_id = message.payload_id';

/** SQL for a message's content: its own fields, then its payload's. Null if any part is past its retention. */
export const BODY_COLUMNS = `
  CASE WHEN message.payload_id IS NULL THEN message.data
    WHEN message.data IS NULL THEN payload.data
    ELSE (left(message.data::text, -1) || ',' || substr(payload.data::text, 2))::json END AS data,
  coalesce(message.meta, payload.meta) AS meta`;

export const IS_BODY_KEPT = `CASE WHEN message.payload_id IS NULL THEN message.data IS NOT NULL ELSE payload.payload_id IS NOT NULL END`;

export interface PlacedMessage {
  readonly draft: MessageDraft;
  readonly messageId: string;
  readonly position: number;
}

/**
 * Returns the first position of each tenant. Rows stay locked, so messages become visible in order; tenants are locked
 * in a fixed order to prevent deadlocks.
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
 * Adds to each tenant's daily count of packet messages (days since 1970). Call it after `takePositions`, which locks
 * the rows.
 * @returns previous counts
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

/**
 * `place` assigns ids and positions while the database writes the previous messages.
 * @returns number of placed messages, and ids of those already recorded
 */
export async function insertMessages(
  on: Queryable,
  drafts: readonly MessageDraft[],
  nowMs: number,
  place: (slice: readonly MessageDraft[]) => readonly PlacedMessage[],
): Promise<{ readonly total: number; readonly repeated: ReadonlySet<string> }> {
  const { results, rowTotal } = await inSlices(on, drafts, (slice) => {
    const placed = place(slice);
    return { result: placed, statement: messagesStatement(placed, nowMs) };
  });
  const ids = results.flatMap((placed) => placed.map(({ messageId }) => messageId));
  if (rowTotal === ids.length) return { total: ids.length, repeated: new Set() };
  const { rows } = await on.query<{ message_id: string }>('SELECT message_id FROM message WHERE message_id = ANY($1)', [ids]);
  const written = new Set(rows.map((row) => row.message_id));
  return { total: ids.length, repeated: new Set(ids.filter((id) => !written.has(id))) };
}

function messagesStatement(messages: readonly PlacedMessage[], nowMs: number): QueryConfig | undefined {
  if (messages.length === 0) return undefined;
  const drafts = messages.map(({ draft }) => draft);
  return {
    text: `INSERT INTO message (message_id, tenant_id, position, event_kind, occasion, symbol, created_ms, data, payload_id, meta)
      SELECT id, tenant, place::bigint, kind, occasion, coalesce(symbol, ''), $9, data::json, payload, meta::json
      FROM unnest(${[1, 2, 3, 4, 5, 6, 7, 8, 10].map((place) => textsOf(`$${place}`)).join(', ')})
        AS m (id, tenant, place, kind, occasion, symbol, data, payload, meta)
      ON CONFLICT (tenant_id, occasion) DO NOTHING`,
    values: [
      textList(messages.map(({ messageId }) => messageId)),
      textList(drafts.map(({ tenantId }) => tenantId)),
      textList(messages.map(({ position }) => String(position))),
      textList(drafts.map(({ eventKind }) => eventKind)),
      textList(drafts.map(({ occasion }) => occasion)),
      textList(drafts.map(({ symbol }) => symbol)),
      jsonList(drafts.map(({ data }) => data)),
      textList(drafts.map(({ payloadId }) => payloadId ?? null)),
      nowMs,
      jsonList(drafts.map(({ meta }) => meta)),
    ],
  };
}

const COLUMNS = `
  message.message_id, message.tenant_id, message.position, message.event_kind, message.occasion, message.symbol, message.created_ms,
  ${BODY_COLUMNS}`;

const FROM = `FROM message ${WITH_PAYLOAD}`;

export async function newestPosition(on: Queryable, tenantId: string): Promise<number> {
  const { rows } = await on.query<{ newest: string }>('SELECT newest FROM message_order WHERE tenant_id = $1', [tenantId]);
  return Number(rows[0]?.newest ?? 0);
}

export async function listMessages(
  on: Queryable,
  tenantId: string,
  { after, eventKinds, limit }: { readonly after: number; readonly eventKinds: readonly string[]; readonly limit: number },
): Promise<MessageRow[]> {
  const { rows } = await on.query<MessageRow>(
    `SELECT ${COLUMNS} ${FROM} WHERE message.tenant_id = $1 AND message.position > $2 AND ($3::text[] = '{}' OR message.event_kind = ANY($3))
       AND ${IS_BODY_KEPT}
     ORDER BY message.position LIMIT $4`,
    [tenantId, after, eventKinds, limit],
  );
  return rows;
}

export async function findMessage(on: Queryable, tenantId: string, messageId: string): Promise<MessageRow | undefined> {
  const { rows } = await on.query<MessageRow>(`SELECT ${COLUMNS} ${FROM} WHERE message.message_id = $1 AND message.tenant_id = $2`, [
    messageId,
    tenantId,
  ]);
  return rows[0];
}

export async function findMessageOfOccasion(on: Queryable, tenantId: string, occasion: string): Promise<string | undefined> {
  const { rows } = await on.query<{ message_id: string }>('SELECT message_id FROM message WHERE tenant_id = $1 AND occasion = $2', [
    tenantId,
    occasion,
  ]);
  return rows[0]?.message_id;
}

export interface Payload {
  readonly payloadId: string;
  /** Fields of `data`, after those of the message. */
  readonly data: object;
  readonly meta: object;
}

export async function insertPayloads(on: Queryable, payloads: readonly Payload[], nowMs: number): Promise<void> {
  if (payloads.length === 0) return;
  await on.query(
    'INSERT INTO payload (payload_id, data, meta, created_ms) SELECT id, data, meta, $4 FROM unnest($1::text[], $2::json[], $3::json[]) AS p (id, data, meta)',
    [
      payloads.map(({ payloadId }) => payloadId),
      payloads.map(({ data }) => JSON.stringify(data)),
      payloads.map(({ meta }) => JSON.stringify(meta)),
      nowMs,
    ],
  );
}

/** Messages of one payload that are still to be created. */
interface Fanout {
  readonly fanoutId: string;
  readonly payloadId: string;
  readonly eventKind: string;
  readonly symbol: string;
  readonly occasion: string;
  readonly afterTenantId: string;
  readonly pullOnly: boolean;
}

export async function insertFanout(on: Queryable, fanout: Fanout, nowMs: number): Promise<void> {
  await on.query(
    `INSERT INTO fanout (fanout_id, payload_id, event_kind, symbol, occasion, after_tenant_id, pull_only, created_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [fanout.fanoutId, fanout.payloadId, fanout.eventKind, fanout.symbol, fanout.occasion, fanout.afterTenantId, fanout.pullOnly, nowMs],
  );
}

/** Locks the oldest fan-out; other evaluators skip it. */
export async function takeFanout(on: Queryable): Promise<Fanout | undefined> {
  const { rows } = await on.query<Fanout>(
    `SELECT fanout_id AS "fanoutId", payload_id AS "payloadId", event_kind AS "eventKind", symbol, occasion, after_tenant_id AS "afterTenantId",
       pull_only AS "pullOnly"
     FROM fanout ORDER BY created_ms LIMIT 1 FOR UPDATE SKIP LOCKED`,
  );
  return rows[0];
}

export async function moveFanout(on: Queryable, fanoutId: string, afterTenantId: string): Promise<void> {
  await on.query('UPDATE fanout SET after_tenant_id = $2 WHERE fanout_id = $1', [fanoutId, afterTenantId]);
}

export async function deleteFanout(on: Queryable, fanoutId: string): Promise<void> {
  await on.query('DELETE FROM fanout WHERE fanout_id = $1', [fanoutId]);
}

export async function countFanouts(on: Queryable): Promise<number> {
  const { rows } = await on.query<{ total: string }>('SELECT count(*) AS total FROM fanout');
  return Number(rows[0]?.total ?? 0);
}
