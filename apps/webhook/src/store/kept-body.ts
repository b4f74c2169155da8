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
