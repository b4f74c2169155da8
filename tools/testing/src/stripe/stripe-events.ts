let events = 0;

function event(type: string, object: object): { id: string; type: string } & Record<string, unknown> {
  events += 1;
  return {
    id: `evt_${events}`,
    object: 'event',
    api_version: '2026-01-01',
    created: Math.floor(Date.now() / 1_000),
    type,
    data: { object },
  };
}

/** Events as Stripe sends them, cut to what is read of them. Times are seconds since the epoch. */
export const stripeEvents = {
  sessionCompleted: (orderId: string, subscription: string | null, paymentStatus = 'paid') =>
    event('checkout.session.completed', {
      object: 'checkout.session',
      client_reference_id: orderId,
      payment_status: paymentStatus,
      subscription,
    }),
  paymentSucceeded: (orderId: string) =>
    event('checkout.session.async_payment_succeeded', {
      object: 'checkout.session',
      client_reference_id: orderId,
      payment_status: 'paid',
      subscription: null,
    }),
  sessionExpired: (orderId: string) =>
    event('checkout.session.expired', { object: 'checkout.session', client_reference_id: orderId, payment_status: 'unpaid' }),
  invoicePaid: (orderId: string, invoice: { id: string; subscription: string; reason: string; periodStart: number; amount: number }) =>
    event('invoice.paid', {
      object: 'invoice',
      id: invoice.id,
      billing_reason: invoice.reason,
      amount_paid: invoice.amount,
      created: invoice.periodStart,
      hosted_invoice_url: `https://invoice.stripe.example/${invoice.id}`,
      lines: { data: [{ period: { start: invoice.periodStart, end: invoice.periodStart + 2_592_000 } }] },
      parent: {
        type: 'subscription_details',
        subscription_details: { subscription: invoice.subscription, metadata: { order_id: orderId } },
      },
    }),
  subscriptionUpdated: (orderId: string, subscription: { id: string; status: string; startDate: number; periodStart: number }) =>
    event('customer.subscription.updated', {
      object: 'subscription',
      id: subscription.id,
      status: subscription.status,
      start_date: subscription.startDate,
      metadata: { order_id: orderId },
      items: { data: [{ current_period_start: subscription.periodStart }] },
    }),
  subscriptionDeleted: (orderId: string, id: string) =>
    event('customer.subscription.deleted', {
      object: 'subscription',
      id,
      status: 'canceled',
      metadata: { order_id: orderId },
      ended_at: Math.floor(Date.now() / 1_000),
      items: { data: [] },
    }),
  foreign: () => event('customer.created', { object: 'customer', id: 'cus_other' }),
};
