import type { Pool } from 'pg';
import type { DeliveryFacts, KeptAttempt, KeptDelivery } from './judge-deliveries';

const ROUTE = '/api/public/market-state/webhooks/deliveries';

/** What the database of the service kept. */
export type KeptFacts = Pick<DeliveryFacts, 'deliveries' | 'attempts' | 'restless'>;

export async function readKept(pool: Pool): Promise<KeptFacts> {
  const deliveries = await pool.query<KeptDelivery>(
    `SELECT delivery_id AS "deliveryId", message_id AS "messageId", endpoint_id AS "endpointId", status, attempts, credits,
       claimed_by IS NOT NULL OR claimed_ms IS NOT NULL AS "isClaimed" FROM delivery`,
  );
  const attempts = await pool.query<KeptAttempt>('SELECT message_id AS "messageId", endpoint_id AS "endpointId", outcome FROM attempt');
  const lanes = await pool.query<{ endpoint_id: string }>(
    'SELECT endpoint_id FROM lane WHERE next_due_ms IS NOT NULL OR rung_ms IS NOT NULL',
  );
  return { deliveries: deliveries.rows, attempts: attempts.rows, restless: lanes.rows.map((lane) => lane.endpoint_id) };
}

/** Operations that account charged for deliveries. */
export async function readCharged(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ operation_id: string }>('SELECT operation_id FROM receipt WHERE route = $1', [ROUTE]);
  return rows.map((receipt) => receipt.operation_id);
}

/** The ids of messages by what they tell of. */
export async function readMessageIds(pool: Pool): Promise<ReadonlyMap<string, string>> {
  const { rows } = await pool.query<{ occasion: string; message_id: string }>('SELECT occasion, message_id FROM message');
  return new Map(rows.map((message) => [message.occasion, message.message_id]));
}

/** Attempts under way, or whose workers were killed. */
export function countClaims(pool: Pool): Promise<number> {
  return countOf(pool, 'SELECT count(*)::int AS total FROM delivery WHERE claimed_by IS NOT NULL');
}

/** What is not settled yet: deliveries that wait or are claimed, lanes that are rung, charges that are not noted, tasks. */
export function countOpen(pool: Pool): Promise<number> {
  return countOf(
    pool,
    `SELECT ((SELECT count(*) FROM delivery WHERE due_ms IS NOT NULL OR claimed_by IS NOT NULL OR (status = 'delivered' AND NOT charged AND credits > 0))
       + (SELECT count(*) FROM lane WHERE next_due_ms IS NOT NULL OR rung_ms IS NOT NULL)
       + (SELECT count(*) FROM task WHERE finished_ms IS NULL))::int AS total`,
  );
}

async function countOf(pool: Pool, statement: string): Promise<number> {
  const { rows } = await pool.query<{ total: number }>(statement);
  return rows[0]?.total ?? 0;
}
