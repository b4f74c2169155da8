import { findPlan, limitsOf, plans, topup, weightOfCall } from './index';

test('prices, credits and rates are those of the tiers', () => {
  const sold = plans
    .filter(({ tier }) => tier !== null)
    .map(({ planId, tier, priceCents, credits, rate }) => [tier, planId, priceCents, credits, rate]);
  expect(sold).toEqual([
    ['Builder', 'public_builder', { month: 4_900, year: 49_000 }, { market_state: 100_000, export: 500 }, { perSecond: 10, burst: 40 }],
    ['Pro', 'public_pro', { month: 19_900, year: 199_000 }, { market_state: 1_000_000, export: 5_000 }, { perSecond: 50, burst: 200 }],
    [
      'Research',
      'public_research',
      { month: 49_900, year: 499_000 },
      { market_state: 4_000_000, export: 40_000 },
      { perSecond: 100, burst: 400 },
    ],
    ['Enterprise', 'enterprise', null, null, { perSecond: 500, burst: 2_000 }],
  ]);
  expect(topup).toEqual({ priceCents: 3_900, credits: { market_state: 100_000, export: 500 } });
});

test('a trial has 10,000 credits for 14 days at 2 calls a second, a sandbox 200 calls for 7', () => {
  expect(findPlan('trial')).toMatchObject({
    credits: { market_state: 10_000, export: 5 },
    days: 14,
    flatCost: null,
    rate: { perSecond: 2, burst: 40 },
  });
  expect(findPlan('sandbox')).toMatchObject({
    credits: { market_state: 200, export: 0 },
    days: 7,
    flatCost: 1,
    rate: { perSecond: 10, burst: 40 },
  });
  expect(findPlan('public_gold')).toBeUndefined();
});

const GIB = 1_073_741_824;

test.each([
  [
    'trial',
    false,
    {
      inFlightWeight: 8,
      streams: 5,
      replays: 2,
      activeKeys: 3,
      exportBytesMax: 1 * GIB,
      watchlists: 10,
      webhookEndpoints: 3,
      savedSearches: 50,
      activeShares: 50,
      messagesPerDay: 20_000,
    },
  ],
  [
    'sandbox',
    false,
    {
      inFlightWeight: 8,
      streams: 5,
      replays: 2,
      activeKeys: 20,
      exportBytesMax: 1 * GIB,
      watchlists: 10,
      webhookEndpoints: 3,
      savedSearches: 50,
      activeShares: 50,
      messagesPerDay: 20_000,
    },
  ],
  [
    'public_builder',
    true,
    {
      inFlightWeight: 24,
      streams: 20,
      replays: 4,
      activeKeys: 20,
      exportBytesMax: 1 * GIB,
      watchlists: 10,
      webhookEndpoints: 3,
      savedSearches: 50,
      activeShares: 50,
      messagesPerDay: 20_000,
    },
  ],
  [
    'public_pro',
    true,
    {
      inFlightWeight: 64,
      streams: 100,
      replays: 8,
      activeKeys: 20,
      exportBytesMax: 8 * GIB,
      watchlists: 50,
      webhookEndpoints: 10,
      savedSearches: 200,
      activeShares: 200,
      messagesPerDay: 200_000,
    },
  ],
  [
    'public_research',
    true,
    {
      inFlightWeight: 128,
      streams: 400,
      replays: 16,
      activeKeys: 20,
      exportBytesMax: 64 * GIB,
      watchlists: 200,
      webhookEndpoints: 50,
      savedSearches: 1_000,
      activeShares: 1_000,
      messagesPerDay: 2_000_000,
    },
  ],
  [
    'enterprise',
    true,
    {
      inFlightWeight: 128,
      streams: 400,
      replays: 16,
      activeKeys: 20,
      exportBytesMax: 64 * GIB,
      watchlists: 200,
      webhookEndpoints: 50,
      savedSearches: 1_000,
      activeShares: 1_000,
      messagesPerDay: 2_000_000,
    },
  ],
])('the plan %s pays: %s, and has these limits', (planId, paying, limits) => {
  expect(findPlan(planId)).toMatchObject({ paying, limits });
});

test('a plan of another version has the limits of a trial', () => {
  expect(limitsOf('public_gold')).toEqual(findPlan('trial')?.limits);
});

test('a call weighs 1 and half of what it may cost', () => {
  expect([0, 1, 7, 41].map(weightOfCall)).toEqual([1, 1.5, 4.5, 21.5]);
});
