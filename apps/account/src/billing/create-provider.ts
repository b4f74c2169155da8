import { failedPrecondition } from '@market-state/errors';
import type { Pool } from 'pg';
import type { BillingProvider } from './provider';
import { createStripeProvider, type StripeSettings } from './stripe-provider';
import { findCustomer, insertCustomer } from '../store/billing-provider';
import { BILLING_PAGE } from './return-url';

/** Takes no payments: an order waits until the operator approves it with `market-state billing approve <order>`. */
function createOfflineProvider(): BillingProvider {
  return {
    name: 'offline',
    openCheckout: ({ orderId }) => Promise.resolve({ checkoutUrl: `${BILLING_PAGE}?order=${orderId}`, expiresMs: null }),
    openPortal: () => Promise.resolve(BILLING_PAGE),
    endSubscription: () => Promise.resolve(),
    readEvent() {
      throw failedPrecondition(
        'billing_events_not_expected',
        'Orders are approved by the operator here; no billing provider sends events.',
      );
    },
  };
}

/** The tenant as the billing provider knows it; `make` is asked for one when there is none, and may be asked again when that was lost. */
export async function customerOf(pool: Pool, clock: () => number, tenantId: string, make: () => Promise<string>): Promise<string> {
  const known = await findCustomer(pool, tenantId);
  if (known !== undefined) return known;
  const made = await make();
  await insertCustomer(pool, tenantId, made, clock());
  const written = await findCustomer(pool, tenantId);
  if (written === undefined) throw new Error(`the provider's customer ${made} is that of another tenant`);
  return written;
}

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
