import type { Pool, PoolClient } from 'pg';
import type { BillingProvider } from './provider';

/** What a tenant goes on paying for. */
export interface RunningSubscription {
  readonly orderId: string;
  readonly subscriptionId: string;
  readonly planId: string;
}

/** Subscriptions of a tenant that have not ended, as far as the provider has told. */
export async function runningSubscriptions(client: Pool | PoolClient, tenantId: string): Promise<readonly RunningSubscription[]> {
  const { rows } = await client.query<{ id: string; subscription_id: string; plan_id: string }>(
    `SELECT id, subscription_id, plan_id FROM billing_order
     WHERE tenant_id = $1 AND plan_id <> 'topup' AND status = 'fulfilled' AND subscription_id IS NOT NULL AND ended_at IS NULL
       ORDER BY fulfilled_at, id`,
    [tenantId],
  );
  return rows.map((row) => ({ orderId: row.id, subscriptionId: row.subscription_id, planId: row.plan_id }));
}

export interface EndSubscriptionDeps {
  readonly pool: Pool;
  readonly provider: BillingProvider;
  readonly clock: () => number;
}

/**
 * Ends a subscription now, at the provider and here; what was paid for its rest is credited there.
 * @throws ServiceError UNAVAILABLE with reason `billing_provider_unavailable`: then it goes on
 */
export async function endSubscription(
  { pool, provider, clock }: EndSubscriptionDeps,
  { orderId, subscriptionId }: RunningSubscription,
): Promise<void> {
  await provider.endSubscription(subscriptionId);
  await pool.query('UPDATE billing_order SET ended_at = coalesce(ended_at, $2) WHERE id = $1', [orderId, new Date(clock())]);
}
