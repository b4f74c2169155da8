import { type Queryable, run } from '@market-state/postgres';
import { type Selectable, sql } from 'kysely';
import { type ClaimedDelivery, endedAs } from './deliveries';
import type { Attempt } from './generated/tables';
import type { ListPage } from './list-page';
import { tables } from './tables';

interface MadeAttempt {
  readonly attemptId: string;
  readonly delivery: Pick<ClaimedDelivery, 'deliveryId' | 'claimedMs' | 'scheduleStep'>;
  readonly startedMs: number;
  readonly durationMs: number;
  readonly status: number;
  readonly outcome: string;
  readonly snippet: string;
  readonly reason: string;
  readonly testTarget: boolean;
  /** Null after a success or the last attempt. */
  readonly nextDueMs: number | null;
}

export interface AfterAttempt {
  /** The claim was still held and is released. */
  readonly isReleased: boolean;
  readonly isExhausted: boolean;
}

/**
 * One delivery each. A success always marks its delivery delivered; a failure counts only if its claim is still held
 * and the delivery has not ended or restarted.
 * @returns by attempt, omitting those that changed nothing
 */
export async function insertAttempts(
  on: Queryable,
  attempts: readonly MadeAttempt[],
  { worker, nowMs }: { readonly worker: string; readonly nowMs: number },
): Promise<ReadonlyMap<string, AfterAttempt>> {
  const { rows } = await on.query<AfterAttempt & { attemptId: string }>(
    `WITH made AS (SELECT * FROM unnest($3::text[], $4::text[], $5::bigint[], $6::int[], $7::bigint[], $8::int[], $9::int[], $10::text[],
           $11::text[], $12::boolean[], $13::bigint[], $14::text[])
         AS made (attempt_id, delivery_id, claimed_ms, schedule_step, started_ms, duration_ms, status, outcome, snippet, test_target,
           next_ms, reason)),
       before AS (SELECT delivery.delivery_id, made.attempt_id,
         delivery.claimed_by IS NOT DISTINCT FROM $1 AND delivery.claimed_ms IS NOT DISTINCT FROM made.claimed_ms AS is_mine,
         delivery.due_ms IS NOT NULL AND delivery.schedule_step = made.schedule_step AS is_open
         FROM made JOIN delivery USING (delivery_id) WHERE NOT EXISTS (SELECT FROM attempt WHERE attempt.attempt_id = made.attempt_id)
         ORDER BY delivery.delivery_id FOR UPDATE OF delivery),
       after AS (UPDATE delivery SET attempts = attempts + 1, updated_ms = $2,
         claimed_by = CASE WHEN is_mine THEN NULL ELSE claimed_by END,
         claimed_ms = CASE WHEN is_mine THEN NULL ELSE delivery.claimed_ms END,
         held_since_ms = NULL,
         schedule_step = delivery.schedule_step + (is_mine AND is_open)::int,
         status = CASE WHEN outcome = 'ok' THEN 'delivered' WHEN is_mine AND is_open AND next_ms IS NULL THEN ${endedAs(`'exhausted'`)}
           WHEN is_mine AND is_open THEN 'waiting' ELSE delivery.status END,
         due_ms = CASE WHEN outcome = 'ok' THEN NULL WHEN is_mine AND is_open THEN next_ms ELSE due_ms END
       FROM before JOIN made USING (attempt_id) WHERE delivery.delivery_id = before.delivery_id
       RETURNING delivery.*, before.attempt_id, is_mine, is_open),
       receipts AS (INSERT INTO attempt (attempt_id, delivery_id, message_id, endpoint_id, tenant_id, event_kind, number, started_ms,
           duration_ms, status, outcome, snippet, next_attempt_ms, test_target, reason)
         SELECT attempt_id, after.delivery_id, message_id, endpoint_id, tenant_id, event_kind, attempts, made.started_ms, made.duration_ms,
           made.status, made.outcome, made.snippet, due_ms, made.test_target, made.reason FROM after JOIN made USING (attempt_id))
     SELECT attempt_id AS "attemptId", is_mine AS "isReleased", is_mine AND is_open AND status = 'exhausted' AS "isExhausted" FROM after`,
    [
      worker,
      nowMs,
      attempts.map(({ attemptId }) => attemptId),
      attempts.map(({ delivery }) => delivery.deliveryId),
      attempts.map(({ delivery }) => delivery.claimedMs),
      attempts.map(({ delivery }) => delivery.scheduleStep),
      attempts.map(({ startedMs }) => startedMs),
      attempts.map(({ durationMs }) => durationMs),
      attempts.map(({ status }) => status),
      attempts.map(({ outcome }) => outcome),
      attempts.map(({ snippet }) => snippet),
      attempts.map(({ testTarget }) => testTarget),
      attempts.map(({ nextDueMs }) => nextDueMs),
      attempts.map(({ reason }) => reason),
    ],
  );
  return new Map(rows.map(({ attemptId, ...after }) => [attemptId, after]));
}

export async function forgetAttempts(on: Queryable, beforeMs: number, limit: number): Promise<number> {
  const { rowCount } = await on.query(
    'DELETE FROM attempt WHERE attempt_id = ANY(ARRAY(SELECT attempt_id FROM attempt WHERE started_ms < $1 LIMIT $2))',
    [beforeMs, limit],
  );
  return rowCount ?? 0;
}

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
  /** Explanation of a failure at a destination other than a webhook; otherwise empty. */
  readonly reason: string;
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
    reason: row.reason,
    nextAttemptMs: row.next_attempt_ms === null ? null : Number(row.next_attempt_ms),
    testTarget: row.test_target,
  };
}

/** Empty text and 0 match everything. */
interface ReceiptFilter {
  readonly tenantId: string;
  readonly endpointId: string;
  readonly messageId: string;
  /** `failed` matches every outcome except `ok`. */
  readonly outcome: string;
  readonly fromMs: number;
  readonly toMs: number;
}

export async function listReceipts(on: Queryable, filter: ReceiptFilter, { after, limit }: ListPage): Promise<Receipt[]> {
  const { tenantId, endpointId, messageId, outcome, fromMs, toMs } = filter;
  let statement = tables.selectFrom('attempt').selectAll().where('tenant_id', '=', tenantId);
  if (endpointId !== '') statement = statement.where('endpoint_id', '=', endpointId);
  if (messageId !== '') statement = statement.where('message_id', '=', messageId);
  if (outcome === 'failed') statement = statement.where('outcome', '<>', 'ok');
  else if (outcome !== '') statement = statement.where('outcome', '=', outcome);
  if (fromMs > 0) statement = statement.where('started_ms', '>=', String(fromMs));
  if (toMs > 0) statement = statement.where('started_ms', '<', String(toMs));
  if (after !== undefined) statement = statement.where(sql<boolean>`(started_ms, attempt_id) < (${after.atMs}, ${after.id})`);
  const { rows } = await run<Selectable<Attempt>>(on, statement.orderBy('started_ms', 'desc').orderBy('attempt_id', 'desc').limit(limit));
  return rows.map(fromRow);
}
