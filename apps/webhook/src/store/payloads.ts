import type { Queryable } from '@market-state/postgres';

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

export const WITH_PAYLOAD = 'LEFT JOIN payload ON payload.payload_id = message.payload_id';

/** SQL for a message's content: its own fields, then its payload's. Null if any part is past its retention. */
export const BODY_COLUMNS = `
  CASE WHEN message.payload_id IS NULL THEN message.data
    WHEN message.data IS NULL THEN payload.data
    ELSE (left(message.data::text, -1) || ',' || substr(payload.data::text, 2))::json END AS data,
  coalesce(message.meta, payload.meta) AS meta`;

export const IS_BODY_KEPT = `CASE WHEN message.payload_id IS NULL THEN message.data IS NOT NULL ELSE payload.payload_id IS NOT NULL END`;

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
