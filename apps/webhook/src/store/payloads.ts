import type { Queryable } from '@market-state/postgres';

/** What many messages about one packet say alike. */
export interface Payload {
  readonly payloadId: string;
  /** The members of `data`, behind those that a message has of its own. */
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

/** From messages, each with the payload that it shares, if any. */
export const WITH_PAYLOAD = 'LEFT JOIN payload ON payload.payload_id = message.payload_id';

/**
 * What a message says, as it was written: its own members, then those of its payload. Null where any of it is no longer kept. Both are
 * objects, and what a message has of its own has members.
 */
export const BODY_COLUMNS = `
  CASE WHEN message.payload_id IS NULL THEN message.data
    WHEN message.data IS NULL THEN payload.data
    ELSE (left(message.data::text, -1) || ',' || substr(payload.data::text, 2))::json END AS data,
  coalesce(message.meta, payload.meta) AS meta`;

/** Whether all that a message says is kept. */
export const IS_BODY_KEPT = `CASE WHEN message.payload_id IS NULL THEN message.data IS NOT NULL ELSE payload.payload_id IS NOT NULL END`;
