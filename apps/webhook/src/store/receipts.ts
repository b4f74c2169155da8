import { type Queryable, run } from '@market-state/postgres';
import { type Selectable, sql } from 'kysely';
import type { Attempt, Delivery } from './generated/tables';
import { tables } from './tables';

/** The receipt of an attempt. */
export interface Receipt {
  readonly attemptId: string;
  readonly messageId: string;
  readonly endpointId: string;
  readonly eventKind: string;
  readonly number: number;
  readonly startedMs: number;
  readonly durationMs: number;
  readonly status: number;
  readonly outcome: string;
  readonly snippet: string;
  readonly nextAttemptMs: number | null;
  readonly testTarget: boolean;
}

function fromRow(row: Selectable<Attempt>): Receipt {
  return {
    attemptId: row.attempt_id,
    messageId: row.message_id,
    endpointId: row.endpoint_id,
    eventKind: row.event_kind,
    number: row.number,
    startedMs: Number(row.started_ms),
    durationMs: row.duration_ms,
    status: row.status,
    outcome: row.outcome,
    snippet: row.snippet,
    nextAttemptMs: row.next_attempt_ms === null ? null : Number(row.next_attempt_ms),
    testTarget: row.test_target,
  };
}

/** Where the next page of a list begins: after this receipt. */
export interface ReceiptPlace {
  readonly startedMs: number;
  readonly attemptId: string;
}

/** Which receipts are asked for; empty text and 0 ask for all. */
export interface ReceiptFilter {
  readonly tenantId: string;
  readonly endpointId: string;
  readonly messageId: string;
  /** `failed` stands for every outcome but `ok`. */
  readonly outcome: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Receipts, newest first. */
export async function listReceipts(
  on: Queryable,
  filter: ReceiptFilter,
  { after, limit }: { readonly after?: ReceiptPlace | undefined; readonly limit: number },
): Promise<Receipt[]> {
  const { tenantId, endpointId, messageId, outcome, fromMs, toMs } = filter;
  let statement = tables.selectFrom('attempt').selectAll().where('tenant_id', '=', tenantId);
  if (endpointId !== '') statement = statement.where('endpoint_id', '=', endpointId);
  if (messageId !== '') statement = statement.where('message_id', '=', messageId);
  if (outcome === 'failed') statement = statement.where('outcome', '<>', 'ok');
  else if (outcome !== '') statement = statement.where('outcome', '=', outcome);
  if (fromMs > 0) statement = statement.where('started_ms', '>=', String(fromMs));
  if (toMs > 0) statement = statement.where('started_ms', '<', String(toMs));
  if (after !== undefined) statement = statement.where(sql<boolean>`(started_ms, attempt_id) < (${after.startedMs}, ${after.attemptId})`);
  const { rows } = await run<Selectable<Attempt>>(on, statement.orderBy('started_ms', 'desc').orderBy('attempt_id', 'desc').limit(limit));
  return rows.map(fromRow);
}

/** A message on its way to one endpoint, as it is shown. */
export interface ShownDelivery {
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly status: Delivery['status'];
  readonly attempts: number;
  readonly dueMs: number | null;
  readonly credits: number;
}

/** The deliveries of a message, the oldest first. */
export async function listDeliveries(on: Queryable, messageId: string): Promise<ShownDelivery[]> {
  const statement = tables.selectFrom('delivery').selectAll().where('message_id', '=', messageId);
  const { rows } = await run<Selectable<Delivery>>(on, statement.orderBy('created_ms').orderBy('delivery_id'));
  return rows.map((row) => ({
    deliveryId: row.delivery_id,
    endpointId: row.endpoint_id,
    status: row.status,
    attempts: row.attempts,
    dueMs: row.due_ms === null ? null : Number(row.due_ms),
    credits: row.credits,
  }));
}
