import { type BillingInterval, findPlan, type PlanId, soldPlans, topup } from '@market-state/pricing';

/** What can be bought. */
export const SOLD: readonly string[] = [...soldPlans, 'topup'];

/** Something that is bought. */
export type Item =
  | {
      readonly kind: 'plan';
      readonly planId: PlanId;
      readonly interval: BillingInterval;
      readonly amountCents: number;
      readonly title: string;
    }
  | { readonly kind: 'topup'; readonly planId: 'topup'; readonly interval: null; readonly amountCents: number; readonly title: string };

/** The item with its price; undefined for what is not sold. */
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
