import { unavailable, unauthenticated } from '@market-state/errors';
import Stripe from 'stripe';
import type { BillingNews, BillingProvider, CheckoutOrder, PaidPeriod } from './provider';
import { BILLING_PAGE } from './return-url';

const NOTHING: BillingNews = { kind: 'other' };

/** Orders are identified by a checkout's `client_reference_id` and the `order_id` metadata of a subscription. */
function readNews(event: Stripe.Event): BillingNews {
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

/** A checkout can complete before its payment does; another event then reports the payment. */
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
 * Stripe reports a period when it starts and collects the payment about an hour later. The period counts right away
 * while the subscription is `active`, which it is not after a failed payment.
 */
function readSubscription(subscription: Stripe.Subscription): BillingNews {
  const orderId = subscription.metadata['order_id'];
  const fromS = subscription.items.data[0]?.current_period_start;
  if (orderId === undefined || fromS === undefined || subscription.status !== 'active' || fromS === subscription.start_date) return NOTHING;
  return { kind: 'period_started', orderId, subscriptionId: subscription.id, periodFromMs: fromS * 1_000 };
}

function idOf(reference: string | { readonly id: string }): string {
  return typeof reference === 'string' ? reference : reference.id;
}

/** Per try; there are at most three. */
const TRY_DEADLINE_MS = 5_000;
const RETRIES_MAX = 2;
const SIGNATURE_AGE_MAX_S = 300;

export interface StripeSettings {
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** API address in tests; null for Stripe's own. */
  readonly apiBase: URL | null;
}

interface StripeDeps {
  readonly settings: StripeSettings;
  readonly publicBaseUrl: string;
  readonly clock: () => number;
  readonly customerOf: (tenantId: string, make: () => Promise<string>) => Promise<string>;
}

/** Prices are sent with each order, so Stripe needs no product catalogue. */
export function createStripeProvider({ settings, publicBaseUrl, clock, customerOf }: StripeDeps): BillingProvider {
  const stripe = new Stripe(settings.secretKey, {
    timeout: TRY_DEADLINE_MS,
    maxNetworkRetries: RETRIES_MAX,
    telemetry: false,
    ...(settings.apiBase === null ? {} : { host: settings.apiBase.hostname, port: settings.apiBase.port, protocol: 'http' }),
  });

  function customer(tenantId: string): Promise<string> {
    return customerOf(tenantId, async () => {
      const made = await stripe.customers.create({ metadata: { tenant_id: tenantId } }, { idempotencyKey: `customer-${tenantId}` });
      return made.id;
    });
  }

  return {
    name: 'stripe',
    openCheckout: (order) =>
      reaching(async () => {
        const session = await stripe.checkout.sessions.create(
          { customer: await customer(order.tenantId), ...sessionOf(order, publicBaseUrl) },
          { idempotencyKey: `checkout-${order.orderId}` },
        );
        if (session.url === null) throw new Error('the session has no URL');
        return { checkoutUrl: session.url, expiresMs: session.expires_at * 1_000 };
      }),
    openPortal: (tenantId, returnUrl) =>
      reaching(async () => (await stripe.billingPortal.sessions.create({ customer: await customer(tenantId), return_url: returnUrl })).url),
    endSubscription: (subscriptionId) =>
      reaching(async () => {
        await stripe.subscriptions.cancel(subscriptionId, { prorate: true }).catch((error: unknown) => {
          if (!(error instanceof Stripe.errors.StripeError) || error.code !== 'resource_missing') throw error;
        });
      }),
    readEvent(body, signature) {
      const event = verified(() =>
        stripe.webhooks.constructEvent(Buffer.from(body), signature, settings.webhookSecret, SIGNATURE_AGE_MAX_S, undefined, clock()),
      );
      return { id: event.id, type: event.type, news: readNews(event) };
    },
  };
}

function sessionOf({ orderId, tenantId, item }: CheckoutOrder, publicBaseUrl: string): Stripe.Checkout.SessionCreateParams {
  const metadata = { order_id: orderId, tenant_id: tenantId };
  const price = { currency: 'usd', unit_amount: item.amountCents, product_data: { name: item.title } };
  const back = (outcome: string): string => new URL(`${BILLING_PAGE}?order=${orderId}&checkout=${outcome}`, publicBaseUrl).href;
  const common = { client_reference_id: orderId, metadata, success_url: back('done'), cancel_url: back('cancelled') };
  if (item.kind === 'topup') return { ...common, mode: 'payment', line_items: [{ quantity: 1, price_data: price }] };
  const recurring = { interval: item.interval };
  return {
    ...common,
    mode: 'subscription',
    line_items: [{ quantity: 1, price_data: { ...price, recurring } }],
    subscription_data: { metadata },
  };
}

async function reaching<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    const { type, code, statusCode, requestId } = error;
    const detail = `stripe: ${[type, code, statusCode, requestId].filter((part) => part !== undefined).join(' ')}`;
    throw unavailable('billing_provider_unavailable', 'The billing provider is unreachable or rejected the request. Try again later.', {
      detail,
    });
  }
}

function verified<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw unauthenticated('billing_signature_refused', 'The event signature is invalid.', { cause: error });
  }
}
