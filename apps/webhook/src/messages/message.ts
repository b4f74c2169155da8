import { type Notice, type RuleInput, type RuleSpec, WINDOW_MS } from '@market-state/alert-rules';
import { readMarket } from '@market-state/market-data';

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

const CLAIM_BOUNDARY = 'not_signal_not_advice_not_execution_not_performance';

export const packetMeta = ({ synthetic }: Pick<RuleInput, 'synthetic'>): object => ({
  schema: 'market_state_webhook.v1',
  claim_boundary: CLAIM_BOUNDARY,
  synthetic,
});

export const OPERATIONAL_META = { schema: 'market_state_webhook.v1', claim_boundary: CLAIM_BOUNDARY, synthetic: false };

function packetReference(input: RuleInput) {
  const { symbol, sequence, window_end_ms: endMs, event_id: eventId, replay_cursor: cursor } = input;
  const [start, end] = [endMs - WINDOW_MS + 1, endMs + 1];
  return {
    ...readMarket(symbol),
    packet_sequence: sequence,
    window_end_utc: new Date(endMs).toISOString(),
    event_id: eventId,
    replay_cursor: cursor,
    routes: {
      packet: `/api/public/market-state/packets/${eventId}/workbench`,
      evidence: `/api/public/market-state/events/${eventId}/evidence`,
      replay: `/api/public/market-state/replay?symbol=${symbol}&replay_window_seconds=300&limit=30&cursor=${cursor}`,
      replay_window: `/api/public/data/replay/window?symbol=${symbol}&start=${start}&end=${end}`,
    },
    gap_ids: input.gap_ids,
  };
}

export function packetCreated(input: RuleInput, late: boolean) {
  const { state, event_class: eventClass, event_profile: profile, severity_class: severityClass, scores, tags, synthetic } = input;
  const { severity_score: severityScore = null } = scores;
  const severity = { severity_class: severityClass, severity_score: severityScore };
  return { ...packetReference(input), state, event_class: eventClass, event_profile: profile, ...severity, tags, late, synthetic };
}

export function stateChanged(input: RuleInput, previousState: string, late: boolean) {
  return { ...packetCreated(input, late), previous_state: previousState };
}

export interface NoticeRule {
  readonly ruleId: string;
  readonly spec: RuleSpec;
  readonly watchlistId: string;
  readonly watchlistKind: 'watchlist' | 'alert';
  readonly watchlistName: string;
}

/** Rule part of the `data` of `alert.triggered`, for every phase; precedes the packet part. */
export function alertNotice(rule: NoticeRule, notice: Notice): object {
  return {
    watchlist_id: rule.watchlistId,
    watchlist_kind: rule.watchlistKind,
    watchlist_name: rule.watchlistName,
    rule_id: rule.ruleId,
    phase: notice.phase,
    episode_id: notice.episodeId,
    transition: notice.transition,
    condition: { kind: rule.spec.kind, params: rule.spec.params, ...notice.condition },
  };
}

/** Packet part of the `data` of `alert.triggered`. */
export function noticedPacket(input: RuleInput, late: boolean): object {
  return { ...packetReference(input), late, synthetic: input.synthetic };
}
