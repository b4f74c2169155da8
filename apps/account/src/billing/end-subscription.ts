import type { Pool } from 'pg';
import { markSubscriptionEnded, type RunningSubscription } from '../store/orders';
import type { BillingProvider } from './provider';

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
  await markSubscriptionEnded(pool, orderId, clock());
}
