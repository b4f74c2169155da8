import { failedPrecondition } from '@market-state/errors';
import type { BillingProvider } from './provider';
import { BILLING_PAGE } from './return-url';

/** Takes no payments: an order waits until the operator approves it with `market-state billing approve <order>`. */
export function createOfflineProvider(): BillingProvider {
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
