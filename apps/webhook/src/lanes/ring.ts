import type { Queryable } from '@market-state/postgres';

/** Wakes a worker for one lane. A lane has one at most, and a worker ignores those that another has followed. */
export interface Ring {
  readonly endpointId: string;
  /** The ring of the lane, from 1. */
  readonly ring: number;
}

interface RingRow {
  readonly endpoint_id: string;
  readonly ring: number;
}

export const toRing = (row: RingRow): Ring => ({ endpointId: row.endpoint_id, ring: row.ring });

/**
 * Makes the lanes of these endpoints due at `nowMs`, inside the transaction that made their deliveries due. Lanes are locked by rising
 * id. @returns rings for the lanes that had none, for the bell once the transaction is committed
 */
export async function ringLanes(on: Queryable, endpointIds: readonly string[], nowMs: number): Promise<Ring[]> {
  if (endpointIds.length === 0) return [];
  const { rows } = await on.query<RingRow & { is_new: boolean }>(
    `WITH due AS (SELECT endpoint_id, rung_ms IS NULL AS is_new FROM lane WHERE endpoint_id = ANY($1) ORDER BY endpoint_id FOR UPDATE)
     UPDATE lane SET next_due_ms = least(next_due_ms, $2), rung_ms = coalesce(rung_ms, $2), ring = ring + is_new::int
     FROM due WHERE lane.endpoint_id = due.endpoint_id
     RETURNING lane.endpoint_id, lane.ring, due.is_new`,
    [endpointIds, nowMs],
  );
  return rows.filter((row) => row.is_new).map(toRing);
}
