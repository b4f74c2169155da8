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
