import type { account } from '@market-state/contracts';
import { WORKLOAD_FAMILIES } from '@market-state/pricing';
import fc from 'fast-check';
import { showSpendByFamily, showSpendByKey, showSpendRows } from './usage-receipts';

const DAY_MS = 86_400_000;

/** Has a key, an account or neither; never both. */
const caller = fc.oneof(
  fc.record({ keyId: fc.constantFrom('key_1', 'key_2', 'key_3'), accountId: fc.constant('') }),
  fc.record({ keyId: fc.constant(''), accountId: fc.constantFrom('acc_1', 'acc_2') }),
  fc.constant({ keyId: '', accountId: '' }),
);
const usageRow: fc.Arbitrary<account.UsageRow> = fc
  .tuple(
    caller,
    fc.record({
      dayTsMs: fc.nat(40).map((day) => day * DAY_MS),
      workloadFamily: fc.constantFrom(...WORKLOAD_FAMILIES),
      method: fc.constantFrom('GET', 'POST'),
      route: fc.constantFrom('/a', '/b'),
      calls: fc.integer({ min: 1, max: 1_000 }),
      marketStateCredits: fc.nat(1_000_000),
      exportCredits: fc.nat(1_000),
    }),
  )
  .map(([who, what]) => ({ ...who, ...what }));

interface Spend {
  readonly calls: number;
  readonly market_state_credits: number;
  readonly export_credits: number;
}

function totalOf(rows: readonly Spend[]): Spend {
  const sum = (field: keyof Spend): number => rows.reduce((total, row) => total + row[field], 0);
  return { calls: sum('calls'), market_state_credits: sum('market_state_credits'), export_credits: sum('export_credits') };
}

test('spend by key, by family and by row have the same totals, with one row per spender', () => {
  fc.assert(
    fc.property(fc.array(usageRow, { maxLength: 60 }), (rows) => {
      const byKey = showSpendByKey(rows);
      const total = totalOf(showSpendRows(rows));
      expect([totalOf(byKey), totalOf(showSpendByFamily(rows))]).toEqual([total, total]);
      expect(new Set(byKey.map(({ key_id: keyId, account_id: accountId }) => `${keyId} ${accountId}`)).size).toBe(byKey.length);
      for (const { caller: who, key_id: keyId, account_id: accountId } of byKey)
        expect(who).toBe(keyId !== null ? 'key' : accountId !== null ? 'session' : 'service');
    }),
  );
});

test('usage without a call has its own row, and the largest spender comes first', () => {
  const row = { dayTsMs: 0, workloadFamily: 'workflow_automation', method: 'POST', route: '/a', calls: 1, exportCredits: 0 };
  expect(
    showSpendByKey([
      { ...row, keyId: '', accountId: '', marketStateCredits: 3 },
      { ...row, keyId: 'key_1', accountId: '', marketStateCredits: 5 },
    ]),
  ).toMatchObject([
    { caller: 'key', key_id: 'key_1', market_state_credits: 5 },
    { caller: 'service', key_id: null, account_id: null, market_state_credits: 3 },
  ]);
});
