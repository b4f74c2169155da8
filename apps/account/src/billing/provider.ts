import type { Item, ProviderName } from './order';

/** An order for which a checkout is to be opened. */
export interface CheckoutOrder {
  readonly orderId: string;
  readonly tenantId: string;
  readonly item: Item;
}

interface OpenedCheckout {
  readonly checkoutUrl: string;
  /** Milliseconds since the epoch; null: never. */
  readonly expiresMs: number | null;
}

/** What a provider tells of an order, in our words. Times are milliseconds since the epoch. */
export type BillingNews =
  | { readonly kind: 'order_paid'; readonly orderId: string; readonly subscriptionId: string | null }
  | { readonly kind: 'order_closed'; readonly orderId: string; readonly status: 'expired' | 'cancelled' }
  /** A further period of a subscription has begun: it is paid, or its payment is under way. */
  | { readonly kind: 'period_begun'; readonly orderId: string; readonly subscriptionId: string; readonly periodFromMs: number }
  | {
      readonly kind: 'invoice_paid';
      readonly orderId: string;
      readonly subscriptionId: string;
      readonly period: PaidPeriod;
      readonly invoice: PaidInvoice;
    }
  | { readonly kind: 'subscription_ended'; readonly orderId: string; readonly endedMs: number }
  /** Nothing that we act upon. */
  | { readonly kind: 'other' };

/** What an invoice pays: the period that the order began, a later one by its start, or no period. */
export type PaidPeriod = { readonly kind: 'first' } | { readonly kind: 'later'; readonly fromMs: number } | { readonly kind: 'none' };

interface PaidInvoice {
  readonly providerInvoiceId: string;
  readonly amountCents: number;
  readonly createdMs: number;
  /** Empty: none. */
  readonly documentUrl: string;
}

/** An event of the provider, whose signature was good. */
export interface BillingEvent {
  readonly id: string;
  readonly type: string;
  readonly news: BillingNews;
}

/**
 * Who takes payments. Each call that reaches out has a deadline and may be made again: it changes nothing a second time.
 * They throw ServiceError UNAVAILABLE with reason `billing_provider_unavailable` when the provider cannot be reached, or refuses.
 */
export interface BillingProvider {
  readonly name: ProviderName;
  openCheckout(order: CheckoutOrder): Promise<OpenedCheckout>;
  /** Address at which the tenant sees what it pays. @param returnUrl whole, to come back to */
  openPortal(tenantId: string, returnUrl: string): Promise<string>;
  /** Ends a subscription now; what was paid for its rest is credited. One that has ended is left so. */
  endSubscription(subscriptionId: string): Promise<void>;
  /**
   * Reads an event out of the bytes that were signed.
   * @throws ServiceError UNAUTHENTICATED with reason `billing_signature_refused`, or FAILED_PRECONDITION with reason
   * `billing_events_not_expected`
   */
  readEvent(body: Uint8Array, signature: string): BillingEvent;
}
