import type { Queryable } from '@market-state/postgres';
import type { DisabledReason } from '../endpoints/endpoint';
import { endedAs } from './deliveries';

interface Attempted {
  readonly endpointId: string;
  readonly urlRevision: number;
}

/** Reasons for which deliveries disable an endpoint. */
export type FailureReason = Extract<DisabledReason, 'gone_410' | 'failing_120h' | 'destination_refused'>;

/** One per endpoint. A test of the current address makes the endpoint live; an email must be confirmed. */
export async function noteSuccesses(
  on: Queryable,
  answered: readonly Attempted[],
  { isTest, nowMs }: { readonly isTest: boolean; readonly nowMs: number },
): Promise<void> {
  await on.query(
    `UPDATE endpoint SET last_success_ms = $2::bigint, failing_since_ms = NULL, failed_messages = 0,
       status = CASE WHEN $4 AND status = 'test_pending' AND (kind <> 'email' OR confirmed_ms IS NOT NULL) THEN 'live' ELSE status END
     FROM unnest($1::text[], $3::int[]) AS answered (id, revision) WHERE endpoint_id = answered.id AND url_revision = answered.revision
       AND (failing_since_ms IS NOT NULL OR last_success_ms IS NULL OR last_success_ms < $2::bigint - 1000 OR $4)`,
    [answered.map(({ endpointId }) => endpointId), nowMs, answered.map(({ urlRevision }) => urlRevision), isTest],
  );
}

export interface Failing {
  readonly sinceMs: number;
  readonly messages: number;
}

/**
 * Each at a different endpoint.
 * @returns by endpoint, omitting endpoints that were changed or enabled since the attempt started
 */
export async function noteFailures(
  on: Queryable,
  failed: readonly (Attempted & { readonly deliveryId: string; readonly attemptId: string; readonly startedMs: number })[],
): Promise<ReadonlyMap<string, Failing>> {
  const { rows } = await on.query<Failing & { endpointId: string }>(
    `UPDATE endpoint SET failing_since_ms = coalesce(failing_since_ms, failed.started_ms),
       failed_messages = failed_messages + (NOT EXISTS (SELECT FROM attempt WHERE attempt.delivery_id = failed.delivery_id
         AND attempt.attempt_id <> failed.attempt_id AND attempt.started_ms >= endpoint.failing_since_ms))::int
     FROM unnest($1::text[], $2::int[], $3::bigint[], $4::text[], $5::text[]) AS failed (id, revision, started_ms, delivery_id, attempt_id)
     WHERE endpoint_id = failed.id AND url_revision = failed.revision AND updated_ms <= failed.started_ms
     RETURNING endpoint_id AS "endpointId", failing_since_ms::float8 AS "sinceMs", failed_messages AS messages`,
    [
      failed.map(({ endpointId }) => endpointId),
      failed.map(({ urlRevision }) => urlRevision),
      failed.map(({ startedMs }) => startedMs),
      failed.map(({ deliveryId }) => deliveryId),
      failed.map(({ attemptId }) => attemptId),
    ],
  );
  return new Map(rows.map(({ endpointId, ...failing }) => [endpointId, failing]));
}

export async function disableEndpoint(
  on: Queryable,
  {
    endpointId,
    urlRevision,
    reason,
    nowMs,
  }: { readonly endpointId: string; readonly urlRevision: number; readonly reason: FailureReason; readonly nowMs: number },
): Promise<readonly string[] | undefined> {
  const { rows } = await on.query<{ symbols: readonly string[] }>(
    `UPDATE endpoint SET status = 'disabled', disabled_reason = $3, updated_ms = $4
     WHERE endpoint_id = $1 AND url_revision = $2 AND status = 'live' RETURNING symbols`,
    [endpointId, urlRevision, reason, nowMs],
  );
  return rows[0]?.symbols;
}

interface EndpointHealth {
  readonly endpointId: string;
  readonly waiting: number;
  /** No attempt before this time; 0: breaker closed. */
  readonly breakerUntilMs: number;
}

const STANDINGS = `
  SELECT asked.endpoint_id AS "endpointId", coalesce(lane.breaker_until_ms, 0)::float8 AS "breakerUntilMs",
    (SELECT count(*)::int FROM delivery WHERE delivery.endpoint_id = asked.endpoint_id AND status IN ('waiting', 'held_no_credits')) AS waiting
  FROM unnest($1::text[]) AS asked (endpoint_id) LEFT JOIN lane ON lane.endpoint_id = asked.endpoint_id`;

export async function readStandings(on: Queryable, endpointIds: readonly string[]): Promise<EndpointHealth[]> {
  const { rows } = await on.query<EndpointHealth>(STANDINGS, [endpointIds]);
  return rows;
}

/** `recover` finds them while the endpoint exists. */
export async function endWaiting(
  on: Queryable,
  endpointId: string,
  { status, nowMs }: { readonly status: 'endpoint_disabled' | 'endpoint_deleted'; readonly nowMs: number },
): Promise<void> {
  await on.query(
    `UPDATE delivery SET status = ${endedAs('$2')}, due_ms = NULL, held_since_ms = NULL, updated_ms = $3
     WHERE endpoint_id = $1 AND status IN ('waiting', 'held_no_credits')`,
    [endpointId, status, nowMs],
  );
  await on.query('UPDATE lane SET next_due_ms = NULL WHERE endpoint_id = $1', [endpointId]);
}
