import type { Queryable } from '@market-state/postgres';
import { type Breaker, breakerShape } from '../delivery/retry-policy';
import type { WakeUp } from '../delivery/wake-ups';
import type { EndpointKind } from '../endpoints/destination';

export interface LockedQueue {
  readonly endpointId: string;
  readonly tenantId: string;
  readonly wakeUp: number;
  readonly isWoken: boolean;
  readonly isSlow: boolean;
  readonly breaker: Breaker;
  readonly kind: EndpointKind;
  readonly url: string;
  readonly urlRevision: number;
  readonly chatId: string;
  /** Due messages are sent as one if it is positive. */
  readonly digestMinutes: number;
  readonly isConfirmed: boolean;
  readonly status: 'test_pending' | 'live' | 'disabled';
}

/**
 * In id order. A single queue is waited for; of several, locked ones are skipped, so that a transaction holding queues
 * never waits. Deleted endpoints are omitted.
 */
export async function lockQueues(on: Queryable, endpointIds: readonly string[]): Promise<LockedQueue[]> {
  const { rows } = await on.query<Omit<LockedQueue, 'breaker'> & { breaker: unknown }>(
    `SELECT lane.endpoint_id AS "endpointId", lane.tenant_id AS "tenantId", lane.ring AS "wakeUp",
       lane.rung_ms IS NOT NULL AS "isWoken", lane.slow AS "isSlow", lane.breaker, endpoint.kind, endpoint.url,
       endpoint.url_revision AS "urlRevision", endpoint.chat_id AS "chatId", endpoint.digest_minutes AS "digestMinutes",
       endpoint.confirmed_ms IS NOT NULL AS "isConfirmed", endpoint.status
     FROM lane JOIN endpoint USING (endpoint_id) WHERE lane.endpoint_id = ANY($1) ORDER BY lane.endpoint_id
     FOR UPDATE OF lane ${endpointIds.length > 1 ? 'SKIP LOCKED' : ''}`,
    [endpointIds],
  );
  return rows.map((row) => ({ ...row, breaker: breakerShape.parse(row.breaker) }));
}

/** Held until the transaction ends. @returns false if the endpoint was deleted */
export async function lockQueue(on: Queryable, tenantId: string, endpointId: string): Promise<boolean> {
  const { rowCount } = await on.query('SELECT FROM lane WHERE endpoint_id = $1 AND tenant_id = $2 FOR UPDATE', [endpointId, tenantId]);
  return rowCount === 1;
}

/** SQL for the next time at which a delivery can be claimed: it is due and a slot is free, or a claim expires. */
const NEXT_DUE = `least(
  (SELECT min(due_ms) FROM delivery WHERE endpoint_id = lane.endpoint_id AND due_ms IS NOT NULL AND claimed_by IS NULL
     AND (task_id IS NULL OR NOT EXISTS (SELECT FROM delivery AS sent WHERE sent.tenant_id = lane.tenant_id
       AND sent.endpoint_id = lane.endpoint_id AND sent.claimed_ms > $1 AND sent.task_id IS NOT NULL))
     AND (SELECT count(*) FROM delivery AS sent WHERE sent.tenant_id = lane.tenant_id AND sent.endpoint_id = lane.endpoint_id
       AND sent.claimed_ms > $1) < asked.places),
  (SELECT min(claimed_ms) + $2 FROM delivery WHERE tenant_id = lane.tenant_id AND endpoint_id = lane.endpoint_id AND claimed_ms IS NOT NULL))`;

export interface QueueAdvance {
  readonly endpointId: string;
  readonly slots: number;
  readonly notBeforeMs: number;
  readonly isAnswered: boolean;
}

/**
 * MATERIALIZED, because the planner would otherwise recompute it.
 * @param claimMs age at which a claim is taken over
 * @returns wake-ups for queues that are due now and have none
 */
export async function advanceQueues(
  on: Queryable,
  queues: readonly QueueAdvance[],
  { nowMs, claimMs }: { readonly nowMs: number; readonly claimMs: number },
): Promise<WakeUp[]> {
  const { rows } = await on.query<WakeUp & { wakes: boolean }>(
    `WITH asked AS (SELECT * FROM unnest($4::text[], $5::int[], $6::bigint[], $7::boolean[])
         AS asked (endpoint_id, places, not_before_ms, is_answered)),
       looked AS MATERIALIZED (SELECT endpoint_id, ${NEXT_DUE} AS due_ms, not_before_ms, rung_ms IS NULL OR is_answered AS is_free
         FROM asked JOIN lane USING (endpoint_id)),
       next AS (SELECT endpoint_id, is_free, CASE WHEN due_ms IS NOT NULL THEN greatest(due_ms, not_before_ms) END AS due_ms,
         is_free AND coalesce(greatest(due_ms, not_before_ms) <= $3 AND due_ms IS NOT NULL, false) AS wakes FROM looked)
     UPDATE lane SET next_due_ms = due_ms, ring = ring + wakes::int,
       rung_ms = CASE WHEN wakes THEN $3::bigint WHEN NOT is_free THEN rung_ms END
     FROM next WHERE lane.endpoint_id = next.endpoint_id RETURNING lane.endpoint_id AS "endpointId", lane.ring AS number, wakes`,
    [
      nowMs - claimMs,
      claimMs,
      nowMs,
      queues.map(({ endpointId }) => endpointId),
      queues.map(({ slots }) => slots),
      queues.map(({ notBeforeMs }) => notBeforeMs),
      queues.map(({ isAnswered }) => isAnswered),
    ],
  );
  return rows.filter(({ wakes }) => wakes).map(({ endpointId, number }) => ({ endpointId, number }));
}

export async function updateQueues(
  on: Queryable,
  queues: readonly Pick<LockedQueue, 'endpointId' | 'isSlow' | 'breaker'>[],
): Promise<void> {
  await on.query(
    `UPDATE lane SET slow = fared.slow, breaker = fared.breaker, breaker_until_ms = fared.until_ms
     FROM unnest($1::text[], $2::boolean[], $3::jsonb[], $4::bigint[]) AS fared (endpoint_id, slow, breaker, until_ms)
     WHERE lane.endpoint_id = fared.endpoint_id`,
    [
      queues.map(({ endpointId }) => endpointId),
      queues.map(({ isSlow }) => isSlow),
      queues.map(({ breaker }) => JSON.stringify(breaker)),
      queues.map(({ breaker }) => breaker.untilMs),
    ],
  );
}

/**
 * Wake-ups for due queues that have none, or whose wake-up is unanswered since `silentSinceMs`. Each is returned once.
 */
export async function claimDueQueues(
  on: Queryable,
  { nowMs, silentSinceMs, limit }: { readonly nowMs: number; readonly silentSinceMs: number; readonly limit: number },
): Promise<WakeUp[]> {
  const { rows } = await on.query<WakeUp>(
    `WITH due AS (SELECT endpoint_id FROM lane WHERE next_due_ms <= $1 AND (rung_ms IS NULL OR rung_ms < $2)
       ORDER BY next_due_ms LIMIT $3 FOR UPDATE SKIP LOCKED)
     UPDATE lane SET rung_ms = $1, ring = ring + 1 FROM due WHERE lane.endpoint_id = due.endpoint_id
     RETURNING lane.endpoint_id AS "endpointId", lane.ring AS number`,
    [nowMs, silentSinceMs, limit],
  );
  return rows;
}

/**
 * Makes queues due at `nowMs`, in the transaction that made their deliveries due.
 * @returns wake-ups to pass to the notifier after the commit
 */
export async function wakeQueues(on: Queryable, endpointIds: readonly string[], nowMs: number): Promise<WakeUp[]> {
  if (endpointIds.length === 0) return [];
  const { rows } = await on.query<WakeUp & { isNew: boolean }>(
    `WITH due AS (SELECT endpoint_id, rung_ms IS NULL AS is_new FROM lane WHERE endpoint_id = ANY($1) ORDER BY endpoint_id FOR UPDATE)
     UPDATE lane SET next_due_ms = least(next_due_ms, $2), rung_ms = coalesce(rung_ms, $2), ring = ring + is_new::int
     FROM due WHERE lane.endpoint_id = due.endpoint_id
     RETURNING lane.endpoint_id AS "endpointId", lane.ring AS number, due.is_new AS "isNew"`,
    [endpointIds, nowMs],
  );
  return rows.filter(({ isNew }) => isNew).map(({ endpointId, number }) => ({ endpointId, number }));
}
