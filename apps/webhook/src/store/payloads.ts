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
