import type { Pool } from 'pg';
import { customerOf } from './customers';
import { createOfflineProvider } from './offline-provider';
import type { BillingProvider } from './provider';
import { createStripeProvider, type StripeSettings } from './stripe-provider';

/** How plans and top-ups are sold. */
export interface BillingSettings {
  /** Null: no payments are taken, the operator approves orders. */
  readonly stripe: StripeSettings | null;
  /** Origins beside the product's own that people may be sent back to. */
  readonly allowedOrigins: readonly string[];
}

/** Stripe where it is set up, else the offline provider. */
export function createProvider({ stripe }: BillingSettings, publicBaseUrl: string, pool: Pool, clock: () => number): BillingProvider {
  if (stripe === null) return createOfflineProvider();
  return createStripeProvider({
    settings: stripe,
    publicBaseUrl,
    clock,
    customerOf: (tenantId, make) => customerOf(pool, clock, tenantId, make),
  });
}
