import type { Queryable } from '@market-state/postgres';

/** Messages of one payload that are still to be created. */
export interface Fanout {
  readonly fanoutId: string;
  readonly payloadId: string;
  readonly eventKind: string;
  readonly symbol: string;
  readonly occasion: string;
  readonly afterTenantId: string;
  readonly pullOnly: boolean;
}

export async function insertFanout(on: Queryable, fanout: Fanout, nowMs: number): Promise<void> {
  await on.query(
    `INSERT INTO fanout (fanout_id, payload_id, event_kind, symbol, occasion, after_tenant_id, pull_only, created_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [fanout.fanoutId, fanout.payloadId, fanout.eventKind, fanout.symbol, fanout.occasion, fanout.afterTenantId, fanout.pullOnly, nowMs],
  );
}

/** Locks the oldest fan-out; other evaluators skip it. */
export async function takeFanout(on: Queryable): Promise<Fanout | undefined> {
  const { rows } = await on.query<Fanout>(
    `SELECT fanout_id AS "fanoutId", payload_id AS "payloadId", event_kind AS "eventKind", symbol, occasion, after_tenant_id AS "afterTenantId",
       pull_only AS "pullOnly"
     FROM fanout ORDER BY created_ms LIMIT 1 FOR UPDATE SKIP LOCKED`,
  );
  return rows[0];
}

export async function moveFanout(on: Queryable, fanoutId: string, afterTenantId: string): Promise<void> {
  await on.query('UPDATE fanout SET after_tenant_id = $2 WHERE fanout_id = $1', [fanoutId, afterTenantId]);
}

export async function deleteFanout(on: Queryable, fanoutId: string): Promise<void> {
  await on.query('DELETE FROM fanout WHERE fanout_id = $1', [fanoutId]);
}

export async function countFanouts(on: Queryable): Promise<number> {
  const { rows } = await on.query<{ total: string }>('SELECT count(*) AS total FROM fanout');
  return Number(rows[0]?.total ?? 0);
}
