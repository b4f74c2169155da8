import type { Pool, PoolClient } from 'pg';
import type { Order } from './order';
import type { BillingProvider } from './provider';

const PLAN_ORDERS = `SELECT id, subscription_id, ended_at, row_number() OVER (ORDER BY fulfilled_at DESC, id DESC) AS place
  FROM billing_order WHERE tenant_id = $1 AND plan_id <> 'topup' AND status = 'fulfilled'`;

/** Whether no plan of the tenant was ordered and fulfilled after this order. */
export async function isNewestPlan(client: PoolClient, order: Order): Promise<boolean> {
  const { rows } = await client.query<{ id: string }>(`SELECT id FROM (${PLAN_ORDERS}) AS orders WHERE place = 1`, [order.tenantId]);
  return rows[0]?.id === order.id;
}

/**
 * Ends the subscriptions of plans that the tenant's newest one has replaced, so that nobody pays for two. That they ended is noted when the
 * provider tells it, so this may be done again.
 */
export async function endSuperseded(
  { pool, provider }: { readonly pool: Pool; readonly provider: BillingProvider },
  tenantId: string,
): Promise<void> {
  const { rows } = await pool.query<{ subscription_id: string }>(
    `SELECT subscription_id FROM (${PLAN_ORDERS}) AS orders WHERE place > 1 AND subscription_id IS NOT NULL AND ended_at IS NULL`,
    [tenantId],
  );
  for (const { subscription_id: subscriptionId } of rows) await provider.endSubscription(subscriptionId);
}
