import { randomBytes } from 'node:crypto';
import type { Queryable } from '@market-state/postgres';
import { formatMessageId, MESSAGE_ID_RANDOM_SIZE_BYTES } from '@market-state/webhook-signing';
import { newId } from '../ids';
import { type Ring, ringLanes } from '../lanes/ring';

/** What is to be told, once for its occasion. */
export interface MessageDraft {
  readonly tenantId: string;
  readonly eventKind: string;
  /** What happened, once for a tenant. */
  readonly occasion: string;
  /** Empty without one. */
  readonly symbol: string;
  readonly data: object;
  readonly meta: object;
  /** What its delivery costs. */
  readonly credits: 0 | 1;
  /** It goes to nobody; it can be pulled. */
  readonly pullOnly?: boolean;
  /** It goes to this endpoint, live or not, and to no other. */
  readonly onlyEndpointId?: string;
  /** It goes to all that subscribe it but this one. */
  readonly exceptEndpointId?: string;
}

const POSITION = `
  INSERT INTO message_order (tenant_id, newest) VALUES ($1, 1)
  ON CONFLICT (tenant_id) DO UPDATE SET newest = message_order.newest + 1 RETURNING newest`;

const MESSAGE = `
  INSERT INTO message (message_id, tenant_id, position, event_kind, occasion, symbol, created_ms, data, meta)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

const RECEIVERS = `
  SELECT DISTINCT endpoint_id FROM endpoint_topic JOIN endpoint USING (endpoint_id)
  WHERE endpoint_topic.tenant_id = $1 AND event_kind = $2 AND symbol IN ('', $3) AND status = 'live'`;

const DELIVERY = `
  INSERT INTO delivery (delivery_id, message_id, endpoint_id, tenant_id, event_kind, status, due_ms, schedule_step, attempts, credits,
    charged, created_ms, updated_ms)
  VALUES ($1, $2, $3, $4, $5, 'waiting', $6, 0, 0, $7, false, $6, $6)`;

/**
 * Writes messages and their deliveries inside a transaction, each occasion once.
 * @returns rings for the bell, once the transaction is committed
 */
export async function recordMessages(on: Queryable, drafts: readonly MessageDraft[], nowMs: number): Promise<{ readonly rings: Ring[] }> {
  const endpointIds = new Set<string>();
  const ordered = [...drafts].sort((one, other) => (one.tenantId < other.tenantId ? -1 : Number(one.tenantId > other.tenantId)));
  for (const draft of ordered) for (const endpointId of await recordOne(on, draft, nowMs)) endpointIds.add(endpointId);
  return { rings: await ringLanes(on, [...endpointIds], nowMs) };
}

async function recordOne(on: Queryable, draft: MessageDraft, nowMs: number): Promise<readonly string[]> {
  const { tenantId, eventKind, occasion, symbol, data, meta, credits } = draft;
  const position = await on.query<{ newest: string }>(POSITION, [tenantId]);
  const known = await on.query('SELECT 1 FROM message WHERE tenant_id = $1 AND occasion = $2', [tenantId, occasion]);
  if (known.rows.length > 0) return [];
  const messageId = formatMessageId(nowMs, randomBytes(MESSAGE_ID_RANDOM_SIZE_BYTES));
  const newest = position.rows[0]?.newest;
  await on.query(MESSAGE, [messageId, tenantId, newest, eventKind, occasion, symbol, nowMs, JSON.stringify(data), JSON.stringify(meta)]);
  const receivers = await receiversOf(on, draft);
  for (const endpointId of receivers) await on.query(DELIVERY, [newId('dlv'), messageId, endpointId, tenantId, eventKind, nowMs, credits]);
  return receivers;
}

async function receiversOf(on: Queryable, draft: MessageDraft): Promise<readonly string[]> {
  if (draft.pullOnly === true) return [];
  if (draft.onlyEndpointId !== undefined) return [draft.onlyEndpointId];
  const { rows } = await on.query<{ endpoint_id: string }>(RECEIVERS, [draft.tenantId, draft.eventKind, draft.symbol]);
  return rows.map(({ endpoint_id }) => endpoint_id).filter((endpointId) => endpointId !== draft.exceptEndpointId);
}
