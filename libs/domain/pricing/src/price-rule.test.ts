import fc from 'fast-check';
import { type OperationPrice, priceCall, type PriceRule, priceRule, priceWords, WORKLOAD_FAMILIES } from './index';

const FACTS = { symbolTotal: 4, planId: 'public_pro' };

/** Cost of an amount of units by the numbers of the rule. */
function costBy({ baseCredits, stepUnits, step }: PriceRule, units: number): number {
  return baseCredits + (stepUnits === null ? 0 : Math[step === 'full' ? 'floor' : 'ceil'](units / stepUnits));
}

const counted: fc.Arbitrary<OperationPrice['counted']> = fc.oneof(
  fc.constantFrom({ by: 'call' } as const, { by: 'nothing' } as const, { by: 'symbols' } as const, { by: 'messages' } as const),
  fc.constantFrom('limit' as const, 'depth' as const).map((parameter) => ({ by: 'parameter', parameter }) as const),
  fc
    .tuple(fc.constantFrom('page' as const, 'rows' as const, 'candles' as const), fc.integer({ min: 1, max: 5_000 }))
    .map(([by, rowsMax]) => ({ by, rows_max: rowsMax })),
);

test('the numbers of a price give the charge of a call, for everything that is counted', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...WORKLOAD_FAMILIES),
      counted,
      fc.integer({ min: 1, max: 1_000 }),
      fc.nat(6_000),
      (family, by, requested, seen) => {
        const price = { family, counted: by };
        const rule = priceRule(price);
        const call = priceCall(price, { limit: requested, depth: requested, symbol: 'ALL' }, FACTS);
        const units = by.by === 'parameter' ? requested : 'rows_max' in by ? by.rows_max : by.by === 'symbols' ? FACTS.symbolTotal : 1;
        const most = costBy(rule, units);
        expect([call.estimated, call.credit]).toEqual([most, rule.credit]);
        const isCounted = by.by !== 'call';
        expect(call.observed(isCounted ? seen : undefined)).toBe(Math.min(most, isCounted ? costBy(rule, seen) : most));
      },
    ),
  );
});

test.each([
  [{ family: 'latest_packet', counted: { by: 'symbols' } }, '1 credit per symbol'],
  [{ family: 'derived_read', counted: { by: 'call' } }, '1 credit'],
  [{ family: 'derived_read', counted: { by: 'nothing' } }, 'free, with a receipt'],
  [{ family: 'event_evidence', counted: { by: 'call' } }, '2 credits'],
  [{ family: 'packet_replay', counted: { by: 'parameter', parameter: 'limit' } }, '1 credit, and 1 for every 25 rows, rounded up'],
  [{ family: 'market_data_latest', counted: { by: 'parameter', parameter: 'depth' } }, '1 credit, and 1 for every full 250 rows'],
  [{ family: 'market_data_replay_window', counted: { by: 'page', rows_max: 5_000 } }, '2 credits, and 1 for every 1,000 rows, rounded up'],
  [{ family: 'market_data_latest', counted: { by: 'messages' } }, '1 credit for every 100 messages, rounded up'],
  [{ family: 'export_job', counted: { by: 'export_rows' } }, '1 export credit, and 1 for every 100,000 rows, rounded up'],
] as const)('%j is said as %s', (price, words) => {
  expect(priceWords(price)).toBe(words);
});
