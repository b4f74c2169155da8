import { type BillingInterval, type PlanId, findPlan, soldPlans, topup } from '@market-state/pricing';

export type ProviderName = 'stripe' | 'offline';

export const ORDER_STATUSES = ['open', 'fulfilled', 'expired', 'cancelled'] as const;

export type OrderStatus = (typeof ORDER_STATUSES)[number];

export interface Order {
  readonly id: string;
  readonly tenantId: string;
  readonly provider: ProviderName;
  readonly status: OrderStatus;
  readonly planId: PlanId | 'topup';
  readonly interval: BillingInterval | null;
  readonly amountCents: number;
  /** Empty until the provider has returned it. */
  readonly checkoutUrl: string;
  readonly createdMs: number;
  readonly expiresMs: number | null;
  /** Provider's subscription id. Null for one-off payments and until it is known. */
  readonly subscriptionId: string | null;
}

export const SOLD: readonly string[] = [...soldPlans, 'topup'];

export type Item =
  | {
      readonly kind: 'plan';
      readonly planId: PlanId;
      readonly interval: BillingInterval;
      readonly amountCents: number;
      readonly title: string;
    }
  | { readonly kind: 'topup'; readonly planId: 'topup'; readonly interval: null; readonly amountCents: number; readonly title: string };

export function itemOf(soldId: string, interval: BillingInterval): Item | undefined {
  if (soldId === 'topup') {
    const { market_state: marketState, export: exports } = topup.credits;
    const title = `Top-up: ${marketState.toLocaleString('en-US')} market-state and ${exports.toLocaleString('en-US')} export credits`;
    return { kind: 'topup', planId: 'topup', interval: null, amountCents: topup.priceCents, title };
  }
  const plan = soldPlans.some((id) => id === soldId) ? findPlan(soldId) : undefined;
  if (plan === undefined || plan.priceCents === null) return undefined;
  return {
    kind: 'plan',
    planId: plan.planId,
    interval,
    amountCents: plan.priceCents[interval],
    title: `Market-State Data API ${plan.tier ?? plan.planId}`,
  };
}
