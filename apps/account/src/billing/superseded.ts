import type { Pool, PoolClient } from 'pg';
import { findNewestPlanOrder, listReplacedSubscriptions } from '../store/orders';
import type { Order } from './order';
import type { BillingProvider } from './provider';

/** Whether no plan of the tenant was ordered and fulfilled after this order. */
export async function isNewestPlan(client: PoolClient, order: Order): Promise<boolean> {
  return (await findNewestPlanOrder(client, order.tenantId)) === order.id;
}

/**
 * Ends the subscriptions of plans that the tenant's newest one has replaced, so that nobody pays for two. That they ended is noted when the
 * provider tells it, so this may be done again.
 */
export async function endSuperseded(
  { pool, provider }: { readonly pool: Pool; readonly provider: BillingProvider },
  tenantId: string,
): Promise<void> {
  for (const subscriptionId of await listReplacedSubscriptions(pool, tenantId)) await provider.endSubscription(subscriptionId);
}
