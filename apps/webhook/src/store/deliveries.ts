import { type Queryable, run } from '@market-state/postgres';
import { type Selectable, sql } from 'kysely';
import type { MessageRow } from '../messages/message';
import type { Delivery } from './generated/tables';
import { BODY_COLUMNS, WITH_PAYLOAD } from './messages';
import { tables } from './tables';

export interface ClaimedDelivery {
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly tenantId: string;
  readonly scheduleStep: number;
  readonly heldSinceMs: number | null;
  readonly isPaid: boolean;
  readonly claimedMs: number;
  readonly dueMs: number;
  readonly isTask: boolean;
  /** Sent along with another delivery. */
  readonly inDigest: boolean;
  readonly message: MessageRow;
}

export interface UnderWay {
  readonly tenant: number;
  readonly endpoint: number;
  readonly tasks: number;
  /** Claimable deliveries, up to the counting limit. */
  readonly due: number;
}

/**
 * Counts valid claims (a digest is one) and due deliveries of locked queues; locks their tenants until the transaction ends.
 * @returns by endpoint
 */
export async function countUnderWay(
  on: Queryable,
  queues: readonly { readonly endpointId: string; readonly tenantId: string }[],
  { nowMs, sinceMs, dueMax }: { readonly nowMs: number; readonly sinceMs: number; readonly dueMax: number },
): Promise<ReadonlyMap<string, UnderWay>> {
  const tenants = queues.map(({ tenantId }) => tenantId);
  await on.query(
    `SELECT pg_advisory_xact_lock(tenant)
     FROM (SELECT DISTINCT hashtextextended(id, 16) AS tenant FROM unnest($1::text[]) AS asked (id) ORDER BY 1) AS tenants`,
    [tenants],
  );
  const { rows } = await on.query<UnderWay & { endpointId: string }>(
    `SELECT asked.endpoint_id AS "endpointId", claimed.*,
       (SELECT count(*)::int FROM (SELECT FROM delivery WHERE ${isDueAt('asked.endpoint_id')} LIMIT $5) AS due) AS due
     FROM unnest($1::text[], $4::text[]) AS asked (tenant_id, endpoint_id)
     CROSS JOIN LATERAL (SELECT count(*)::int AS tenant, count(*) FILTER (WHERE endpoint_id = asked.endpoint_id)::int AS endpoint,
         count(*) FILTER (WHERE endpoint_id = asked.endpoint_id AND task_id IS NOT NULL)::int AS tasks
       FROM delivery WHERE tenant_id = asked.tenant_id AND claimed_ms > $3 AND NOT in_digest) AS claimed`,
    [tenants, nowMs, sinceMs, queues.map(({ endpointId }) => endpointId), dueMax],
  );
  return new Map(rows.map((row) => [row.endpointId, row]));
}

interface ClaimOrder {
  readonly endpointId: string;
  readonly limit: number;
  readonly taskLimit: number;
  /** All claimed deliveries are sent as one. */
  readonly isDigest: boolean;
}

interface Claimant {
  readonly worker: string;
  readonly nowMs: number;
  readonly claimedBeforeMs: number;
}

/** SQL condition: due at $2 and unclaimed, or claimed before $3. */
function isDueAt(endpointId: string): string {
  return `endpoint_id = ${endpointId} AND due_ms <= $2 AND (claimed_ms IS NULL OR claimed_ms <= $3)`;
}

export async function claimDue(on: Queryable, orders: readonly ClaimOrder[], claimant: Claimant): Promise<ClaimedDelivery[]> {
  const { rows } = await on.query<ClaimRow>(
    `WITH chosen AS (SELECT found.delivery_id,
           asked.is_digest AND row_number() OVER (PARTITION BY asked.endpoint_id ORDER BY found.delivery_id) > 1 AS in_digest
         FROM unnest($1::text[], $5::int[], $6::int[], $7::boolean[]) AS asked (endpoint_id, total, tasks, is_digest)
         CROSS JOIN LATERAL (SELECT delivery_id FROM (
           (SELECT delivery_id FROM delivery WHERE asked.tasks > 0 AND ${isDueAt('asked.endpoint_id')}
              AND task_id IN (SELECT task_id FROM task WHERE endpoint_id = asked.endpoint_id AND finished_ms IS NULL)
              ORDER BY due_ms LIMIT asked.tasks)
           UNION ALL
           (SELECT delivery_id FROM delivery WHERE ${isDueAt('asked.endpoint_id')} AND task_id IS NULL ORDER BY due_ms LIMIT asked.total)
         ) AS both_kinds LIMIT asked.total) AS found),
       claimed AS (UPDATE delivery SET claimed_by = $4, claimed_ms = $2, in_digest = chosen.in_digest FROM chosen
         WHERE delivery.delivery_id = chosen.delivery_id RETURNING delivery.*)
     SELECT claimed.delivery_id, claimed.endpoint_id, claimed.schedule_step, claimed.held_since_ms, claimed.claimed_ms, claimed.due_ms,
       claimed.task_id IS NOT NULL AS is_task, claimed.in_digest, claimed.credits > 0 AND NOT claimed.charged AS is_paid,
       message.message_id, message.tenant_id, message.position, message.event_kind, message.occasion, message.symbol, message.created_ms,
       ${BODY_COLUMNS}
     FROM claimed JOIN message USING (message_id) ${WITH_PAYLOAD}`,
    [
      orders.map(({ endpointId }) => endpointId),
      claimant.nowMs,
      claimant.claimedBeforeMs,
      claimant.worker,
      orders.map(({ limit }) => limit),
      orders.map(({ taskLimit }) => taskLimit),
      orders.map(({ isDigest }) => isDigest),
    ],
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
  readonly in_digest: boolean;
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
    inDigest: row.in_digest,
    message: row,
  };
}

/** Once delivered it stays delivered and charged, even if a resend failed. */
export function endedAs(status: string): string {
  return `(CASE WHEN EXISTS (SELECT FROM attempt WHERE attempt.delivery_id = delivery.delivery_id AND attempt.outcome = 'ok')
    THEN 'delivered' ELSE ${status} END)::delivery_status`;
}

/** Until `dueMs`, without an attempt; `heldSinceMs` is set while waiting for credits. */
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

/** Ends pending deliveries, except tests, of endpoints that accept no messages. */
export async function endUnsendable(on: Queryable, endpointIds: readonly string[], nowMs: number): Promise<void> {
  await on.query(
    `UPDATE delivery SET status = ${endedAs(`'endpoint_disabled'`)}, due_ms = NULL, held_since_ms = NULL, updated_ms = $2
     WHERE endpoint_id = ANY($1) AND due_ms IS NOT NULL AND event_kind <> 'webhook.test'`,
    [endpointIds, nowMs],
  );
}

/** Releases claims of ended deliveries once they are too old for their worker to be alive. */
export async function releaseEnded(on: Queryable, endpointIds: readonly string[], claimedBeforeMs: number): Promise<void> {
  await on.query(
    `UPDATE delivery SET claimed_by = NULL, claimed_ms = NULL FROM lane
     WHERE lane.endpoint_id = ANY($1) AND delivery.tenant_id = lane.tenant_id AND delivery.endpoint_id = lane.endpoint_id
       AND delivery.due_ms IS NULL AND delivery.claimed_ms <= $2`,
    [endpointIds, claimedBeforeMs],
  );
}

export interface ShownDelivery {
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly status: Delivery['status'];
  readonly attempts: number;
  readonly dueMs: number | null;
  readonly credits: number;
}

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

interface Resending {
  /** Used if the message has no delivery to the endpoint yet. */
  readonly deliveryId: string;
  readonly messageId: string;
  readonly endpointId: string;
  readonly tenantId: string;
  readonly eventKind: string;
  readonly credits: number;
}

/** Makes a delivery due now in any status, unless it is currently being sent. */
export async function sendAgain(on: Queryable, resending: Resending, nowMs: number): Promise<void> {
  const now = String(nowMs);
  await run(
    on,
    tables
      .insertInto('delivery')
      .values({
        delivery_id: resending.deliveryId,
        message_id: resending.messageId,
        endpoint_id: resending.endpointId,
        tenant_id: resending.tenantId,
        event_kind: resending.eventKind,
        status: 'waiting',
        due_ms: now,
        schedule_step: 0,
        attempts: 0,
        credits: resending.credits,
        charged: resending.credits === 0,
        created_ms: now,
        updated_ms: now,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['message_id', 'endpoint_id'])
          .doUpdateSet({ status: 'waiting', due_ms: now, schedule_step: 0, held_since_ms: null, task_id: null, updated_ms: now })
          .where(sql<boolean>`delivery.claimed_by IS NULL`),
      ),
  );
}

export async function noteCharged(on: Queryable, deliveryIds: readonly string[]): Promise<void> {
  await on.query('UPDATE delivery SET charged = true WHERE delivery_id = ANY($1) AND NOT charged', [deliveryIds]);
}

/** Delivered, but its charge is not confirmed. */
interface Uncharged {
  readonly deliveryId: string;
  readonly tenantId: string;
}

/** Completed before `beforeMs`, oldest first per tenant, so that a tenant without credits blocks no other. */
export async function listUncharged(on: Queryable, beforeMs: number, limit: number): Promise<Uncharged[]> {
  const { rows } = await on.query<Uncharged>(
    `SELECT delivery_id AS "deliveryId", tenant_id AS "tenantId" FROM delivery
     WHERE status = 'delivered' AND NOT charged AND credits > 0 AND updated_ms < $1
     ORDER BY row_number() OVER (PARTITION BY tenant_id ORDER BY updated_ms), updated_ms LIMIT $2`,
    [beforeMs, limit],
  );
  return rows;
}
