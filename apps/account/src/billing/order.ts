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

export interface OrderRow {
  readonly id: string;
  readonly tenant_id: string;
  readonly provider: ProviderName;
  readonly status: OrderStatus;
  readonly plan_id: PlanId | 'topup';
  readonly billing_interval: BillingInterval | null;
  readonly amount_cents: number;
  readonly checkout_url: string;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly subscription_id: string | null;
}

/** Columns of an OrderRow. */
export const ORDER_COLUMNS =
  'id, tenant_id, provider, status, plan_id, billing_interval, amount_cents, checkout_url, created_at, expires_at, subscription_id';

export function fromOrderRow(row: OrderRow): Order {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    provider: row.provider,
    status: row.status,
    planId: row.plan_id,
    interval: row.billing_interval,
    amountCents: row.amount_cents,
    checkoutUrl: row.checkout_url,
    createdMs: row.created_at.getTime(),
    expiresMs: row.expires_at?.getTime() ?? null,
    subscriptionId: row.subscription_id,
  };
}
