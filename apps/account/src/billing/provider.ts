import type { Item, ProviderName } from './order';

export interface CheckoutOrder {
  readonly orderId: string;
  readonly tenantId: string;
  readonly item: Item;
}

interface OpenedCheckout {
  readonly checkoutUrl: string;
  readonly expiresMs: number | null;
}

export type BillingNews =
  | { readonly kind: 'order_paid'; readonly orderId: string; readonly subscriptionId: string | null }
  | { readonly kind: 'order_closed'; readonly orderId: string; readonly status: 'expired' | 'cancelled' }
  /** A subscription started a further period; it is paid, or its payment is pending. */
  | { readonly kind: 'period_started'; readonly orderId: string; readonly subscriptionId: string; readonly periodFromMs: number }
  | {
      readonly kind: 'invoice_paid';
      readonly orderId: string;
      readonly subscriptionId: string;
      readonly period: PaidPeriod;
      readonly invoice: PaidInvoice;
    }
  | { readonly kind: 'subscription_ended'; readonly orderId: string; readonly endedMs: number }
  | { readonly kind: 'other' };

/** Period that an invoice pays for: the order's first, a later one by its start, or none. */
export type PaidPeriod = { readonly kind: 'first' } | { readonly kind: 'later'; readonly fromMs: number } | { readonly kind: 'none' };

interface PaidInvoice {
  readonly providerInvoiceId: string;
  readonly amountCents: number;
  readonly createdMs: number;
  readonly documentUrl: string;
}

/** Provider event with a verified signature. */
export interface BillingEvent {
  readonly id: string;
  readonly type: string;
  readonly news: BillingNews;
}

/**
 * Remote calls have a deadline and are idempotent. They throw ServiceError `billing_provider_unavailable` if the
 * provider is unreachable or rejects the request.
 */
export interface BillingProvider {
  readonly name: ProviderName;
  openCheckout(order: CheckoutOrder): Promise<OpenedCheckout>;
  /** Returns the portal's URL; `returnUrl` is absolute. */
  openPortal(tenantId: string, returnUrl: string): Promise<string>;
  /** Cancels a subscription immediately and credits the unused remainder. Does nothing if it has ended. */
  endSubscription(subscriptionId: string): Promise<void>;
  /**
   * Verifies and parses the signed bytes of an event.
   * @throws ServiceError `billing_signature_refused`, or `billing_events_not_expected`
   */
  readEvent(body: Uint8Array, signature: string): BillingEvent;
}
