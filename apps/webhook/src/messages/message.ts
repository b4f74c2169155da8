export interface MessageDraft {
  readonly tenantId: string;
  readonly eventKind: string;
  /** Identifies the event; a tenant gets one message per occasion. */
  readonly occasion: string;
  readonly symbol: string;
  /** Fields of `data` in addition to the payload's; null if there are none. */
  readonly data: object | null;
  readonly meta: object | null;
  readonly payloadId?: string;
  readonly credits: 0 | 1;
  /** Available by polling, never delivered to endpoints. */
  readonly pullOnly?: boolean;
  /** Daily quota of the tenant; the draft is dropped once it is used up. */
  readonly dayMax?: number;
  /** Delivered only to this endpoint, even if it is not live. */
  readonly onlyEndpointId?: string;
  readonly exceptEndpointId?: string;
}

/** Free kinds, about webhooks themselves. */
const OPERATIONAL: ReadonlySet<string> = new Set(['webhook.test', 'endpoint.disabled', 'message.exhausted']);

/** Charged once the message is delivered. */
export function creditsOf(eventKind: string): 0 | 1 {
  return OPERATIONAL.has(eventKind) ? 0 : 1;
}

export interface MessageRow {
  readonly message_id: string;
  readonly tenant_id: string;
  readonly position: string;
  readonly event_kind: string;
  readonly occasion: string;
  readonly symbol: string;
  readonly created_ms: string;
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly meta: Readonly<Record<string, unknown>> | null;
}

/** Larger bodies are reduced (WH7). */
const BODY_SIZE_BYTES_MAX = 20 * 1024;

const THIN_GAPS_MAX = 100;

/** Fields of `data` that a reduced body keeps: ids and routes. */
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

/** Body bytes, identical in every attempt and response. @throws Error if the data is past its retention */
export function bodyOf(row: MessageRow): Buffer {
  if (row.data === null) throw new Error('the body of the message is past its retention');
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
