import type { Queryable } from '@market-state/postgres';
import { type ClaimedDelivery, endedAs } from './deliveries';

/** An attempt that was made. */
export interface MadeAttempt {
  readonly attemptId: string;
  readonly worker: string;
  readonly startedMs: number;
  readonly durationMs: number;
  readonly status: number;
  readonly outcome: string;
  readonly snippet: string;
  readonly testTarget: boolean;
  readonly nowMs: number;
  /** When the next is due; null after the last, or a success. */
  readonly nextDueMs: number | null;
}

/** What an attempt did to its delivery. */
export interface AfterAttempt {
  /** The claim was still held, and is given up. */
  readonly isReleased: boolean;
  /** It was the last attempt. */
  readonly isExhausted: boolean;
}

/**
 * Writes the receipt, and what becomes of the delivery: delivered whoever has it now; otherwise as planned by the one that still has the
 * claim, unless the delivery has ended or begun anew. A receipt that is there already changes nothing.
 */
export async function insertAttempt(
  on: Queryable,
  { deliveryId, claimedMs, scheduleStep }: ClaimedDelivery,
  attempt: MadeAttempt,
): Promise<AfterAttempt> {
  const { rows } = await on.query<AfterAttempt>(
    `WITH before AS (SELECT delivery_id, claimed_by IS NOT DISTINCT FROM $2 AND claimed_ms IS NOT DISTINCT FROM $3 AS is_mine,
         due_ms IS NOT NULL AND schedule_step = $14 AS is_open
         FROM delivery WHERE delivery_id = $1 AND NOT EXISTS (SELECT FROM attempt WHERE attempt_id = $7) FOR UPDATE),
       after AS (UPDATE delivery SET attempts = attempts + 1, updated_ms = $4,
         claimed_by = CASE WHEN is_mine THEN NULL ELSE claimed_by END, claimed_ms = CASE WHEN is_mine THEN NULL ELSE claimed_ms END,
         held_since_ms = NULL,
         schedule_step = schedule_step + (is_mine AND is_open)::int,
         status = CASE WHEN $5 THEN 'delivered' WHEN is_mine AND is_open AND $6::bigint IS NULL THEN ${endedAs(`'exhausted'`)}
           WHEN is_mine AND is_open THEN 'waiting' ELSE status END,
         due_ms = CASE WHEN $5 THEN NULL WHEN is_mine AND is_open THEN $6::bigint ELSE due_ms END
       FROM before WHERE delivery.delivery_id = before.delivery_id RETURNING delivery.*, is_mine, is_open),
       receipt AS (INSERT INTO attempt (attempt_id, delivery_id, message_id, endpoint_id, tenant_id, event_kind, number, started_ms,
           duration_ms, status, outcome, snippet, next_attempt_ms, test_target)
         SELECT $7, delivery_id, message_id, endpoint_id, tenant_id, event_kind, attempts, $8, $9, $10, $11, $12, due_ms, $13 FROM after)
     SELECT is_mine AS "isReleased", is_mine AND is_open AND status = 'exhausted' AS "isExhausted" FROM after`,
    [
      deliveryId,
      attempt.worker,
      claimedMs,
      attempt.nowMs,
      attempt.outcome === 'ok',
      attempt.nextDueMs,
      attempt.attemptId,
      attempt.startedMs,
      attempt.durationMs,
      attempt.status,
      attempt.outcome,
      attempt.snippet,
      attempt.testTarget,
      scheduleStep,
    ],
  );
  return rows[0] ?? { isReleased: false, isExhausted: false };
}

/** Forgets receipts of attempts that began before an instant. */
export async function forgetAttempts(on: Queryable, beforeMs: number, limit: number): Promise<number> {
  const { rowCount } = await on.query(
    'DELETE FROM attempt WHERE attempt_id = ANY(ARRAY(SELECT attempt_id FROM attempt WHERE started_ms < $1 LIMIT $2))',
    [beforeMs, limit],
  );
  return rowCount ?? 0;
}
