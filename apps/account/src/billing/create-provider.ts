import { failedPrecondition } from '@market-state/errors';
import type { Pool } from 'pg';
import { findCustomer, insertCustomer } from '../store/billing-provider';
import type { BillingProvider } from './provider';
import { BILLING_PAGE } from './return-url';
import { type StripeSettings, createStripeProvider } from './stripe-provider';

/** Offline provider: orders stay open until the operator runs `market-state billing approve <order>`. */
function createOfflineProvider(): BillingProvider {
  return {
    name: 'offline',
    openCheckout: ({ orderId }) => Promise.resolve({ checkoutUrl: `${BILLING_PAGE}?order=${orderId}`, expiresMs: null }),
    openPortal: () => Promise.resolve(BILLING_PAGE),
    endSubscription: () => Promise.resolve(),
    readEvent() {
      throw failedPrecondition(
        'billing_events_not_expected',
        'Orders are approved by the operator; no billing provider is configured to send events.',
      );
    },
  };
}

/** Returns the tenant's customer id at the provider. `make` creates one and may run again if its result was lost. */
export async function customerOf(pool: Pool, clock: () => number, tenantId: string, make: () => Promise<string>): Promise<string> {
  const known = await findCustomer(pool, tenantId);
  if (known !== undefined) return known;
  const made = await make();
  await insertCustomer(pool, tenantId, made, clock());
  const written = await findCustomer(pool, tenantId);
  if (written === undefined) throw new Error(`the provider's customer ${made} belongs to another tenant`);
  return written;
}

export interface BillingSettings {
  /** Null: no payments; the operator approves orders. */
  readonly stripe: StripeSettings | null;
  /** Origins, in addition to the product's own, that a checkout may return to. */
  readonly allowedOrigins: readonly string[];
}

export function createProvider({ stripe }: BillingSettings, publicBaseUrl: string, pool: Pool, clock: () => number): BillingProvider {
  if (stripe === null) return createOfflineProvider();
  return createStripeProvider({
    settings: stripe,
    publicBaseUrl,
    clock,
    customerOf: (tenantId, make) => customerOf(pool, clock, tenantId, make),
  });
}
