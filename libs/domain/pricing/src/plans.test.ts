import { findPlan, plans, topup } from './index';

test('prices, credits and rates are those of the tiers', () => {
  const sold = plans.filter(({ tier }) => tier !== null).map(({ planId, tier, priceCents, credits, rate }) => [tier, planId, priceCents, credits, rate]);
  expect(sold).toEqual([
    ['Builder', 'public_builder', { month: 4_900, year: 49_000 }, { market_state: 100_000, export: 500 }, { perSecond: 10, burst: 40 }],
    ['Pro', 'public_pro', { month: 19_900, year: 199_000 }, { market_state: 1_000_000, export: 5_000 }, { perSecond: 50, burst: 200 }],
    ['Research', 'public_research', { month: 49_900, year: 499_000 }, { market_state: 4_000_000, export: 40_000 }, { perSecond: 100, burst: 400 }],
    ['Enterprise', 'enterprise', null, null, { perSecond: 500, burst: 2_000 }],
  ]);
  expect(topup).toEqual({ priceCents: 3_900, credits: { market_state: 100_000, export: 500 } });
});

test('a trial has 10,000 credits for 14 days, a sandbox 200 calls for 7', () => {
  expect(findPlan('trial')).toMatchObject({ credits: { market_state: 10_000 }, days: 14, flatCost: null });
  expect(findPlan('sandbox')).toMatchObject({ credits: { market_state: 200 }, days: 7, flatCost: 1 });
  expect(findPlan('public_gold')).toBeUndefined();
});
