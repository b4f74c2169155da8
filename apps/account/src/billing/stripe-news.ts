import type Stripe from 'stripe';
import type { BillingNews, PaidPeriod } from './provider';

const NOTHING: BillingNews = { kind: 'other' };

/**
 * What an event of Stripe means to us. Orders are named by `client_reference_id` of a checkout and `order_id` in the metadata of a
 * subscription.
 */
export function readNews(event: Stripe.Event): BillingNews {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return readPaidSession(event.data.object);
    case 'checkout.session.expired':
      return readClosedSession(event.data.object, 'expired');
    case 'checkout.session.async_payment_failed':
      return readClosedSession(event.data.object, 'cancelled');
    case 'invoice.paid':
      return readInvoice(event.data.object);
    case 'customer.subscription.updated':
      return readSubscription(event.data.object);
    case 'customer.subscription.deleted': {
      const orderId = event.data.object.metadata['order_id'];
      return orderId === undefined
        ? NOTHING
        : { kind: 'subscription_ended', orderId, endedMs: (event.data.object.ended_at ?? event.created) * 1_000 };
    }
    default:
      return NOTHING;
  }
}

/** A checkout may be completed before its payment is: then another event tells of the payment. */
function readPaidSession(session: Stripe.Checkout.Session): BillingNews {
  if (session.client_reference_id === null || session.payment_status === 'unpaid') return NOTHING;
  return {
    kind: 'order_paid',
    orderId: session.client_reference_id,
    subscriptionId: session.subscription === null ? null : idOf(session.subscription),
  };
}

function readClosedSession(session: Stripe.Checkout.Session, status: 'expired' | 'cancelled'): BillingNews {
  return session.client_reference_id === null ? NOTHING : { kind: 'order_closed', orderId: session.client_reference_id, status };
}

function readInvoice(invoice: Stripe.Invoice): BillingNews {
  const subscription = invoice.parent?.subscription_details;
  const orderId = subscription?.metadata?.['order_id'];
  if (subscription === null || subscription === undefined || orderId === undefined) return NOTHING;
  return {
    kind: 'invoice_paid',
    orderId,
    subscriptionId: idOf(subscription.subscription),
    period: periodOf(invoice),
    invoice: {
      providerInvoiceId: invoice.id,
      amountCents: invoice.amount_paid,
      createdMs: invoice.created * 1_000,
      documentUrl: invoice.hosted_invoice_url ?? '',
    },
  };
}

function periodOf({ billing_reason: reason, lines }: Stripe.Invoice): PaidPeriod {
  if (reason === 'subscription_create') return { kind: 'first' };
  const starts = lines.data.map(({ period }) => period.start);
  return reason === 'subscription_cycle' && starts.length > 0 ? { kind: 'later', fromMs: Math.max(...starts) * 1_000 } : { kind: 'none' };
}

/**
 * The period that runs, where it is not the first. Stripe tells this as the period begins and collects its payment about an hour later: a
 * subscription in good standing is not cut off meanwhile, one whose payment failed is no longer `active`.
 */
function readSubscription(subscription: Stripe.Subscription): BillingNews {
  const orderId = subscription.metadata['order_id'];
  const fromS = subscription.items.data[0]?.current_period_start;
  if (orderId === undefined || fromS === undefined || subscription.status !== 'active' || fromS === subscription.start_date) return NOTHING;
  return { kind: 'period_begun', orderId, subscriptionId: subscription.id, periodFromMs: fromS * 1_000 };
}

function idOf(reference: string | { readonly id: string }): string {
  return typeof reference === 'string' ? reference : reference.id;
}
