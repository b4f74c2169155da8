/** A message as the database has it. */
export interface MessageRow {
  readonly message_id: string;
  readonly tenant_id: string;
  readonly position: string;
  readonly event_kind: string;
  readonly occasion: string;
  readonly symbol: string;
  readonly created_ms: string;
  /** Null once it is no longer kept. */
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly meta: Readonly<Record<string, unknown>> | null;
}

/** Largest body that is sent whole (WH7). */
const BODY_SIZE_BYTES_MAX = 20 * 1024;

/** Ids of gaps that a thin body has at most. */
const THIN_GAPS_MAX = 100;

/** What stays of the data of a body that would be larger: ids and routes. */
const THIN_MEMBERS: ReadonlySet<string> = new Set([
  'watchlist_id',
  'rule_id',
  'symbol',
  'phase',
  'episode_id',
  'transition',
  'packet_sequence',
  'event_id',
  'replay_cursor',
  'window_end_utc',
  'job_id',
  'routes',
  'gap_ids',
  'late',
  'synthetic',
]);

/** The bytes of a message: the same in every attempt and in every answer. @throws Error when its data is no longer kept */
export function bodyOf(row: MessageRow): Buffer {
  if (row.data === null) throw new Error('the body of the message is no longer kept');
  const whole = bytesOf(row, row.data);
  if (whole.length <= BODY_SIZE_BYTES_MAX) return whole;
  const kept = Object.entries(row.data)
    .filter(([name]) => THIN_MEMBERS.has(name))
    .map(([name, value]) => [name, Array.isArray(value) ? value.slice(0, THIN_GAPS_MAX) : value]);
  return bytesOf(row, { ...Object.fromEntries(kept), thin: true });
}

function bytesOf(row: MessageRow, data: Readonly<Record<string, unknown>>): Buffer {
  return Buffer.from(
    JSON.stringify({
      type: row.event_kind,
      timestamp: new Date(Number(row.created_ms)).toISOString(),
      id: row.message_id,
      tenant_id: row.tenant_id,
      data,
      meta: row.meta ?? {},
    }),
  );
}
