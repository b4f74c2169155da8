import type { Queryable } from '@market-state/postgres';

/** An answer with 2xx; a test of the URL as it is now makes the endpoint live. */
export async function noteSuccess(
  on: Queryable,
  {
    endpointId,
    urlRevision,
    isTest,
    nowMs,
  }: { readonly endpointId: string; readonly urlRevision: number; readonly isTest: boolean; readonly nowMs: number },
): Promise<void> {
  await on.query(
    `UPDATE endpoint SET last_success_ms = $2::bigint, failing_since_ms = NULL, failed_messages = 0,
       status = CASE WHEN $4 AND status = 'test_pending' THEN 'live' ELSE status END
     WHERE endpoint_id = $1 AND url_revision = $3
       AND (failing_since_ms IS NOT NULL OR last_success_ms IS NULL OR last_success_ms < $2::bigint - 1000 OR $4)`,
    [endpointId, nowMs, urlRevision, isTest],
  );
}

/** How long an endpoint has failed. */
export interface Failing {
  readonly sinceMs: number;
  /** Messages that failed since then. */
  readonly messages: number;
}

/**
 * An attempt that failed.
 * @returns undefined where the endpoint was changed or enabled since it began: it says nothing of the endpoint as it is now
 */
export async function noteFailure(
  on: Queryable,
  failed: {
    readonly endpointId: string;
    readonly urlRevision: number;
    readonly deliveryId: string;
    readonly attemptId: string;
    readonly startedMs: number;
  },
): Promise<Failing | undefined> {
  const { rows } = await on.query<Failing>(
    `UPDATE endpoint SET failing_since_ms = coalesce(failing_since_ms, $3),
       failed_messages = failed_messages + (NOT EXISTS (SELECT FROM attempt WHERE attempt.delivery_id = $4 AND attempt_id <> $5
         AND attempt.started_ms >= endpoint.failing_since_ms))::int
     WHERE endpoint_id = $1 AND url_revision = $2 AND updated_ms <= $3 RETURNING failing_since_ms::float8 AS "sinceMs", failed_messages AS messages`,
    [failed.endpointId, failed.urlRevision, failed.startedMs, failed.deliveryId, failed.attemptId],
  );
  return rows[0];
}

/** Disables a live endpoint. @returns the symbols that it subscribes, where it was live */
export async function disableEndpoint(
  on: Queryable,
  {
    endpointId,
    urlRevision,
    reason,
    nowMs,
  }: { readonly endpointId: string; readonly urlRevision: number; readonly reason: 'gone_410' | 'failing_120h'; readonly nowMs: number },
): Promise<readonly string[] | undefined> {
  const { rows } = await on.query<{ symbols: readonly string[] }>(
    `UPDATE endpoint SET status = 'disabled', disabled_reason = $3, updated_ms = $4
     WHERE endpoint_id = $1 AND url_revision = $2 AND status = 'live' RETURNING symbols`,
    [endpointId, urlRevision, reason, nowMs],
  );
  return rows[0]?.symbols;
}
