import type { Queryable } from '@market-state/postgres';

/** Account has the charges of these deliveries. */
export async function noteCharged(on: Queryable, deliveryIds: readonly string[]): Promise<void> {
  await on.query('UPDATE delivery SET charged = true WHERE delivery_id = ANY($1) AND NOT charged', [deliveryIds]);
}

/** A delivery that was made and whose charge nobody has noted. */
export interface Uncharged {
  readonly deliveryId: string;
  readonly tenantId: string;
}

/** Of those that were delivered before an instant: of each tenant the oldest first, so that one without credits keeps nobody waiting. */
export async function listUncharged(on: Queryable, beforeMs: number, limit: number): Promise<Uncharged[]> {
  const { rows } = await on.query<Uncharged>(
    `SELECT delivery_id AS "deliveryId", tenant_id AS "tenantId" FROM delivery
     WHERE status = 'delivered' AND NOT charged AND credits > 0 AND updated_ms < $1
     ORDER BY row_number() OVER (PARTITION BY tenant_id ORDER BY updated_ms), updated_ms LIMIT $2`,
    [beforeMs, limit],
  );
  return rows;
}
