import { account } from '@market-state/contracts';
import { ServiceError } from '@market-state/errors';
import { bindService } from '@market-state/grpc';
import { findPlan, topup } from '@market-state/pricing';

/** The only signature the stand-in accepts. */
export const GOOD_SIGNATURE = 't=1,v1=good';

/** In-memory BillingService with the offline provider. */
export function standInBilling(reported: { readonly checkouts: account.CreateCheckoutRequest[]; readonly events: Buffer[] }) {
  const orders: account.Order[] = [];
  const page = '/billing';
  return bindService(account.BillingServiceService, {
    async createCheckout(request) {
      reported.checkouts.push(request);
      const { planId, billingInterval } = request;
      const interval = billingInterval === 'year' ? 'year' : 'month';
      const order: account.Order = {
        orderId: `ord_${orders.length + 1}`,
        provider: 'offline',
        status: 'open',
        planId,
        billingInterval,
        amountCents: planId === 'topup' ? topup.priceCents : (findPlan(planId)?.priceCents?.[interval] ?? 0),
        checkoutUrl: `${page}?order=ord_${orders.length + 1}`,
        createdTsMs: Date.now(),
        expiresTsMs: 0,
      };
      orders.push(order);
      return { order };
    },
    async openPortal({ returnUrl }) {
      return { provider: 'offline', portalUrl: returnUrl === '' ? page : returnUrl };
    },
    async listInvoices() {
      return { invoices: [], nextCursor: '' };
    },
    async listTenantOrders() {
      return { orders: [], nextCursor: '' };
    },
    async receiveEvent({ signature, body }) {
      if (signature !== GOOD_SIGNATURE)
        throw new ServiceError({ code: 'UNAUTHENTICATED', reason: 'billing_signature_refused', sentence: 'Invalid signature.' });
      reported.events.push(body);
      return {};
    },
  });
}
