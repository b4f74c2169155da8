import type { Queryable } from '@market-state/postgres';
import { endedAs } from './deliveries';

/** How much waits for an endpoint, and whether it may be tried. */
export interface EndpointStanding {
  readonly endpointId: string;
  /** Deliveries that wait. */
  readonly waiting: number;
  /** No attempt before it; 0: attempts are made. */
  readonly breakerUntilMs: number;
}

const STANDINGS = `
  SELECT asked.endpoint_id AS "endpointId", coalesce(lane.breaker_until_ms, 0)::float8 AS "breakerUntilMs",
    (SELECT count(*)::int FROM delivery WHERE delivery.endpoint_id = asked.endpoint_id AND status IN ('waiting', 'held_no_credits')) AS waiting
  FROM unnest($1::text[]) AS asked (endpoint_id) LEFT JOIN lane ON lane.endpoint_id = asked.endpoint_id`;

/** Of each endpoint named. */
export async function readStandings(on: Queryable, endpointIds: readonly string[]): Promise<EndpointStanding[]> {
  const { rows } = await on.query<EndpointStanding>(STANDINGS, [endpointIds]);
  return rows;
}

/** Ends the deliveries that wait for an endpoint; they are found again by `recover` where the endpoint still exists. */
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
