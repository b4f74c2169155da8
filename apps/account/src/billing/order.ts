import type { BillingInterval, PlanId } from '@market-state/pricing';

export type ProviderName = 'stripe' | 'offline';
export const ORDER_STATUSES = ['open', 'fulfilled', 'expired', 'cancelled'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** Something a tenant wants to buy. Times are milliseconds since the epoch. */
export interface Order {
  readonly id: string;
  readonly tenantId: string;
  readonly provider: ProviderName;
  readonly status: OrderStatus;
  readonly planId: PlanId | 'topup';
  /** Null for a top-up. */
  readonly interval: BillingInterval | null;
  readonly amountCents: number;
  /** Empty until the provider has told it. */
  readonly checkoutUrl: string;
  readonly createdMs: number;
  /** Null: never. */
  readonly expiresMs: number | null;
  /** The provider's id of what goes on being paid; null before it is known, and for what is paid once. */
  readonly subscriptionId: string | null;
}
