/** A message as its row holds it, with the `data` of its payload where that has it. */
export interface MessageRow {
  readonly message_id: string;
  readonly tenant_id: string;
  readonly position: string;
  readonly event_kind: string;
  readonly symbol: string;
  readonly created_ms: string;
  /** Null once it is no longer kept. */
  readonly data: unknown;
  readonly meta: unknown;
}

/** The bytes of a message: the same for every attempt, for the pull form and for whoever looks at it. */
export function bodyOf({ event_kind, created_ms, message_id, tenant_id, data, meta }: MessageRow): Buffer {
  const timestamp = new Date(Number(created_ms)).toISOString();
  return Buffer.from(JSON.stringify({ type: event_kind, timestamp, id: message_id, tenant_id, data, meta: meta ?? {} }));
}
