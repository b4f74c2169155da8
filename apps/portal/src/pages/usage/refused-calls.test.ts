import type { Schemas } from '@market-state/client';
import { refusedCalls } from './refused-calls';

const NONE = { monthly_credit_cap: null, daily_credit_cap: null, per_call_credit_ceiling: null, export_credit_cap: null };

function receipt(at: string, most: number, charged: number, exports = 0): Schemas['UsageReceipt'] {
  return {
    served_at_utc: `2026-11-${at}:00.000Z`,
    estimated_market_state_credit_cost: most,
    observed_market_state_credit_cost: charged,
    estimated_export_credit_cost: exports,
    observed_export_credit_cost: exports,
  } as Schemas['UsageReceipt'];
}

/** Newest first, as the service lists them. */
const receipts = [
  receipt('12T10:00', 6, 2),
  receipt('12T09:00', 6, 6),
  receipt('11T09:00', 0, 0, 3),
  receipt('11T08:00', 40, 1),
  receipt('11T07:00', 0, 0),
  receipt('02T07:00', 5, 5),
];
const since = '2026-11-10T00:00:00.000Z';

test('nothing is refused without caps; free and earlier calls are not counted', () => {
  expect(refusedCalls(receipts, NONE, since)).toEqual({ calls: 4, refused: 0 });
});

test.each([
  ['per_call_credit_ceiling', 10, 1],
  ['daily_credit_cap', 10, 2],
  ['daily_credit_cap', 12, 1],
  ['monthly_credit_cap', 11, 2],
  ['export_credit_cap', 2, 1],
] as const)('a call that could cost more than is left under %s of %i is refused, and then spends nothing', (cap, credits, refused) => {
  expect(refusedCalls(receipts, { ...NONE, [cap]: credits }, since)).toEqual({ calls: 4, refused });
});
