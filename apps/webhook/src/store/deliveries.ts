import type { Queryable } from '@market-state/postgres';
import type { MessageRow } from '../messages/body';
import { BODY_COLUMNS, WITH_PAYLOAD } from './kept-body';

/** A delivery that a worker is sending. */
export interface ClaimedDelivery {
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly tenantId: string;
  readonly scheduleStep: number;
  readonly heldSinceMs: number | null;
  /** It costs a credit that was not charged yet. */
  readonly isPaid: boolean;
  readonly claimedMs: number;
  readonly dueMs: number;
  /** A task sends it again. */
  readonly isTask: boolean;
  readonly message: MessageRow;
}

/** What is being sent for a tenant. */
export interface InFlight {
  readonly tenant: number;
  readonly endpoint: number;
  /** Of the endpoint, for a task. */
  readonly tasks: number;
}

/** Counts claims that still count, under a lock of the tenant until the end of the transaction. */
export async function countInFlight(on: Queryable, tenantId: string, endpointId: string, sinceMs: number): Promise<InFlight> {
  await on.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 16))', [tenantId]);
  const { rows } = await on.query<InFlight>(
    `SELECT count(*)::int AS tenant, count(*) FILTER (WHERE endpoint_id = $2)::int AS endpoint,
       count(*) FILTER (WHERE endpoint_id = $2 AND task_id IS NOT NULL)::int AS tasks
     FROM delivery WHERE tenant_id = $1 AND claimed_ms > $3`,
    [tenantId, endpointId, sinceMs],
  );
  return rows[0] ?? { tenant: 0, endpoint: 0, tasks: 0 };
}

export interface ClaimOrder {
  readonly endpointId: string;
  readonly worker: string;
  readonly limit: number;
  /** Of these at most so many for a task, and those first. */
  readonly taskLimit: number;
  readonly nowMs: number;
  /** Claims older than this are taken over. */
  readonly claimedBeforeMs: number;
}

const IS_DUE = 'endpoint_id = $1 AND due_ms <= $2 AND (claimed_ms IS NULL OR claimed_ms <= $3)';

/** Claims due deliveries of an endpoint, the longest due first. */
export async function claimDue(on: Queryable, order: ClaimOrder): Promise<ClaimedDelivery[]> {
  const { rows } = await on.query<ClaimRow>(
    `WITH tasks AS (SELECT delivery_id FROM delivery WHERE $6 > 0 AND ${IS_DUE}
         AND task_id IN (SELECT task_id FROM task WHERE endpoint_id = $1 AND finished_ms IS NULL) ORDER BY due_ms LIMIT $6),
       others AS (SELECT delivery_id FROM delivery WHERE ${IS_DUE} AND task_id IS NULL ORDER BY due_ms LIMIT $5),
       chosen AS (SELECT delivery_id FROM tasks UNION ALL SELECT delivery_id FROM others LIMIT $5),
       claimed AS (UPDATE delivery SET claimed_by = $4, claimed_ms = $2 FROM chosen WHERE delivery.delivery_id = chosen.delivery_id
         RETURNING delivery.*)
     SELECT claimed.delivery_id, claimed.endpoint_id, claimed.schedule_step, claimed.held_since_ms, claimed.claimed_ms, claimed.due_ms,
       claimed.task_id IS NOT NULL AS is_task, claimed.credits > 0 AND NOT claimed.charged AS is_paid,
       message.message_id, message.tenant_id, message.position, message.event_kind, message.occasion, message.symbol, message.created_ms,
       ${BODY_COLUMNS}
     FROM claimed JOIN message USING (message_id) ${WITH_PAYLOAD}`,
    [order.endpointId, order.nowMs, order.claimedBeforeMs, order.worker, order.limit, order.taskLimit],
  );
  return rows.map(fromRow);
}

interface ClaimRow extends MessageRow {
  readonly delivery_id: string;
  readonly endpoint_id: string;
  readonly schedule_step: number;
  readonly held_since_ms: string | null;
  readonly claimed_ms: string;
  readonly due_ms: string;
  readonly is_task: boolean;
  readonly is_paid: boolean;
}

function fromRow(row: ClaimRow): ClaimedDelivery {
  return {
    deliveryId: row.delivery_id,
    endpointId: row.endpoint_id,
    tenantId: row.tenant_id,
    scheduleStep: row.schedule_step,
    heldSinceMs: row.held_since_ms === null ? null : Number(row.held_since_ms),
    isPaid: row.is_paid,
    claimedMs: Number(row.claimed_ms),
    dueMs: Number(row.due_ms),
    isTask: row.is_task,
    message: row,
  };
}

/**
 * The status in which a delivery ends that is not tried any more: what has arrived once stays delivered, and is charged, though it was sent
 * again in vain.
 */
export function endedAs(status: string): string {
  return `(CASE WHEN EXISTS (SELECT FROM attempt WHERE attempt.delivery_id = delivery.delivery_id AND attempt.outcome = 'ok')
    THEN 'delivered' ELSE ${status} END)::delivery_status`;
}

/** Gives a claim up without an attempt: the delivery waits until `dueMs`, for credits where `heldSinceMs` is given. */
export async function releaseClaim(
  on: Queryable,
  { deliveryId, claimedMs }: ClaimedDelivery,
  wait: {
    readonly worker: string;
    readonly status: 'waiting' | 'held_no_credits' | 'not_paid';
    readonly dueMs: number | null;
    readonly heldSinceMs: number | null;
  },
): Promise<void> {
  await on.query(
    `UPDATE delivery SET claimed_by = NULL, claimed_ms = NULL, due_ms = $5, held_since_ms = $6,
       status = CASE WHEN $5::bigint IS NULL THEN ${endedAs('$4')} ELSE $4::delivery_status END
     WHERE delivery_id = $1 AND claimed_by = $2 AND claimed_ms = $3 AND status IN ('waiting', 'held_no_credits')`,
    [deliveryId, wait.worker, claimedMs, wait.status, wait.dueMs, wait.heldSinceMs],
  );
  await on.query(
    'UPDATE delivery SET claimed_by = NULL, claimed_ms = NULL WHERE delivery_id = $1 AND claimed_by = $2 AND claimed_ms = $3',
    [deliveryId, wait.worker, claimedMs],
  );
}

/** Ends what waits for an endpoint that takes no messages now; tests of it stay. */
export async function endUnsendable(on: Queryable, endpointId: string, nowMs: number): Promise<void> {
  await on.query(
    `UPDATE delivery SET status = ${endedAs(`'endpoint_disabled'`)}, due_ms = NULL, held_since_ms = NULL, updated_ms = $2
     WHERE endpoint_id = $1 AND due_ms IS NOT NULL AND event_kind <> 'webhook.test'`,
    [endpointId, nowMs],
  );
}

/** Gives up claims of deliveries that have ended, once they are so old that their worker must be gone. */
export async function releaseEnded(on: Queryable, endpointId: string, claimedBeforeMs: number): Promise<void> {
  await on.query(
    `UPDATE delivery SET claimed_by = NULL, claimed_ms = NULL
     WHERE tenant_id = (SELECT tenant_id FROM lane WHERE endpoint_id = $1) AND endpoint_id = $1 AND due_ms IS NULL AND claimed_ms <= $2`,
    [endpointId, claimedBeforeMs],
  );
}
