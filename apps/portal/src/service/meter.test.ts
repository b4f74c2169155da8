import { creditsLeft } from './meter';

const balance = { available: 900, held: 0, leased_to_gateways: 100, spent_today: 10, spent_this_month: 70 } as const;

test('moving credits into a reservation changes nothing about those left', () => {
  const before = creditsLeft({ credit_kind: 'market_state', ...balance }, 0);
  const after = creditsLeft({ credit_kind: 'market_state', ...balance, available: 700, held: 150, leased_to_gateways: 150 }, 0);
  expect([before.left, after.left]).toEqual([1_000, 1_000]);
  expect([after.reservedForExports, after.reservedForCalls]).toEqual([150, 150]);
});

test('charges after the balance was read count immediately, for their own kind of credit', () => {
  expect(creditsLeft({ credit_kind: 'market_state', ...balance }, 40)).toMatchObject({
    left: 960,
    reservedForCalls: 60,
    spentToday: 50,
    spentThisMonth: 110,
  });
  expect(creditsLeft({ credit_kind: 'export', ...balance }, 40)).toMatchObject({ left: 1_000, spentToday: 10 });
});
