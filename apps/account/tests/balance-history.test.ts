import { account } from '@market-state/contracts';
import { inTransaction } from '@market-state/postgres';
import fc from 'fast-check';
import { grantCredits } from '../src/credits/grants';
import { sumBalances } from '../src/credits/balance-history';
import { anyStep, historyOf, playHistory } from './balance-runs';
import { testCredits } from './credit-calls';
import { type CreditsUnderTest, NOON_MS } from './credits-under-test';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const { BalanceStep, CreditKind } = account;
let under: CreditsUnderTest;

testCredits((service) => {
  under = service;
});

const gift = (operationId: string, nowMs: number, credits: number) =>
  ({ source: 'operator', operationId, note: '', credits: { market_state: credits, export: 0 }, expiresMs: null, nowMs }) as const;

test('a balance history equals a count of the postings after any credit movements and summing, and closed steps never change', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 4, maxLength: 14 }), (steps) => playHistory(under, steps, (run += 1))),
    { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 2), endOnFailure: true },
  );
});

test('a span before anything was granted has nothing, and one that ends before now leaves out what came after it', async () => {
  const tenantId = await under.tenantWith(7);
  under.setNow(NOON_MS + DAY_MS);
  await inTransaction(under.pool, (db) => grantCredits(db, tenantId, gift('later', NOON_MS + DAY_MS, 5)));
  const requested = { tenantId, fromTsMs: NOON_MS - DAY_MS, toTsMs: NOON_MS + 1, step: BalanceStep.DAY };
  const { opening, steps } = await under.client.call.getBalanceHistory(requested);
  expect(opening.map(({ available }) => available)).toEqual([0, 0]);
  const shown = steps.filter(({ balance }) => balance?.kind === CreditKind.MARKET_STATE);
  expect(shown.map(({ granted, balance, closed }) => [granted, balance?.available, closed])).toEqual([
    [0, 0, true],
    [7, 7, true],
  ]);
});

test('a posting started before an hour is summed and committed after it counts in the next hour', async () => {
  const tenantId = await under.tenantWith(10);
  under.setNow(NOON_MS + HOUR_MS);
  await inTransaction(under.pool, (db) => grantCredits(db, tenantId, gift('next hour', NOON_MS + HOUR_MS, 1)));
  under.setNow(NOON_MS + 2 * HOUR_MS);
  expect(await sumBalances({ pool: under.pool, clock: under.now })).toBeGreaterThan(0);
  const before = await historyOf(under, tenantId, BalanceStep.HOUR);
  await inTransaction(under.pool, (db) => grantCredits(db, tenantId, gift('late', NOON_MS + 1, 100)));
  const after = await historyOf(under, tenantId, BalanceStep.HOUR);
  const isNoon = ({ fromTsMs }: account.BalanceOfStep): boolean => fromTsMs === NOON_MS;
  expect(after.steps.filter(isNoon)).toEqual(before.steps.filter(isNoon));
  const ofState = after.steps.filter(({ balance }) => balance?.kind === CreditKind.MARKET_STATE);
  expect(ofState.slice(-3).map(({ granted }) => granted)).toEqual([10, 101, 0]);
});

test('an hour is summed once, two minutes after its end, and never changed: neither by the service nor by its owner', async () => {
  const tenantId = await under.tenantWith(10);
  const kept = () => under.pool.query('SELECT * FROM balance_hour WHERE tenant_id = $1 ORDER BY kind', [tenantId]).then(({ rows }) => rows);
  for (const [minutes, total] of [
    [61, 0],
    [62, 2],
    [1_000, 2],
  ] as const) {
    under.setNow(NOON_MS + minutes * 60_000);
    await sumBalances({ pool: under.pool, clock: under.now });
    expect(await kept()).toHaveLength(total);
  }
  await expect(under.pool.query('UPDATE balance_hour SET granted = 0')).rejects.toThrow(/permission denied/);
  await expect(under.service.ownerSql('DELETE FROM balance_hour')).rejects.toThrow(/permission denied|append-only/);
});

test('every fault of a request is named, and there is none of a tenant that is not there', async () => {
  const { getBalanceHistory } = under.client.call;
  const requested = { tenantId: 'ten_none', fromTsMs: NOON_MS, toTsMs: NOON_MS + DAY_MS, step: BalanceStep.DAY };
  await expect(getBalanceHistory(requested)).rejects.toMatchObject({ code: 'NOT_FOUND', reason: 'unknown_tenant' });
  await expect(getBalanceHistory({ tenantId: '', fromTsMs: -1, toTsMs: -1, step: BalanceStep.UNSPECIFIED })).rejects.toMatchObject({
    faults: [{ field: 'tenant_id' }, { field: 'from_ts_ms' }, { field: 'step' }, { field: 'to_ts_ms' }],
  });
  for (const [step, days] of [
    [BalanceStep.HOUR, 31],
    [BalanceStep.DAY, 366],
  ] as const) {
    const [whole, over] = [days * DAY_MS, days * DAY_MS + 1].map((spanMs) => ({
      ...requested,
      step,
      fromTsMs: NOON_MS,
      toTsMs: NOON_MS + spanMs,
    }));
    await expect(getBalanceHistory({ ...requested, ...whole })).rejects.toMatchObject({ reason: 'unknown_tenant' });
    await expect(getBalanceHistory({ ...requested, ...over })).rejects.toMatchObject({ faults: [{ field: 'to_ts_ms' }] });
  }
});
