import { BudgetError } from '../src';
import { clientWith, json } from './fake-fetch';

const charged = (credits: number): Response => json({}, 200, { 'x-credits-charged': String(credits) });

test('does not send what could pass the budget, and counts what was charged', async () => {
  const { ms, sent } = clientWith([charged(3)]);
  const small = ms.withBudget(6);
  // 1 and 1 for every 25 rows: 5 at most.
  await small.replay.get({ limit: 100 });
  expect(small.budgetLeft).toBe(3);
  expect(sent[0]?.headers.get('x-max-credits')).toBe('5');
  await expect(small.replay.get({ limit: 100 })).rejects.toMatchObject({ name: 'BudgetError', needed: 5, allowed: 3 });
  expect(sent).toHaveLength(1);
  expect(ms.budgetLeft).toBeNull();
});

test('puts aside what calls at once could cost', async () => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const { ms, sent } = clientWith([() => held.then(() => charged(1))]);
  const small = ms.withBudget(2);
  const calls = Array.from({ length: 5 }, () =>
    small.latest.get().then(
      () => 'served',
      (error: unknown) => (error as Error).name,
    ),
  );
  release();
  expect(await Promise.all(calls)).toEqual(['served', 'served', 'BudgetError', 'BudgetError', 'BudgetError']);
  expect([sent.length, small.budgetLeft]).toEqual([2, 0]);
});

test('counts an attempt without an answer as if it had cost all that it could', async () => {
  const { ms, sent } = clientWith([new TypeError('cut'), charged(1)]);
  const small = ms.withBudget(10);
  await small.replay.get({ limit: 25 });
  expect([sent.length, small.budgetLeft]).toEqual([2, 7]);
  const tight = clientWith([new TypeError('cut')]).ms.withBudget(3);
  await expect(tight.replay.get({ limit: 25 })).rejects.toBeInstanceOf(BudgetError);
});

test('lets the service hold a call whose price is not known to what is left', async () => {
  const { ms, sent } = clientWith([charged(4)], { maxCreditsPerCall: 50 });
  const small = ms.withBudget(20);
  await small.latest.get({ symbol: 'ALL' });
  expect(sent[0]?.headers.get('x-max-credits')).toBe('20');
  await small.latest.get({ symbol: 'ALL' }, { maxCredits: 6 });
  expect(sent[1]?.headers.get('x-max-credits')).toBe('6');
  expect(small.budgetLeft).toBe(12);
});

test('is part of the budget that it was made from', async () => {
  const { ms } = clientWith([charged(1)]);
  const outer = ms.withBudget(2);
  const inner = outer.withBudget(10);
  await inner.latest.get();
  expect([outer.budgetLeft, inner.budgetLeft]).toEqual([1, 1]);
  await outer.latest.get();
  await expect(inner.latest.get()).rejects.toBeInstanceOf(BudgetError);
});

test('refuses a call that could cost more than a call may', async () => {
  const { ms, sent } = clientWith([charged(1)], { maxCreditsPerCall: 3 });
  await expect(ms.replay.get({ limit: 1_000 })).rejects.toMatchObject({ needed: 41, allowed: 3 });
  await ms.replay.get({ limit: 1_000 }, { maxCredits: 41 });
  expect(sent).toHaveLength(1);
});

test('counts one credit for every call with a sandbox key', async () => {
  const { ms } = clientWith([charged(1)], { apiKey: 'msk_test_x', maxCreditsPerCall: 1 });
  await ms.replay.get({ limit: 1_000 });
  await expect(ms.withBudget(0).usage.get()).rejects.toBeInstanceOf(BudgetError);
});

test('says what a call can cost at most, and sends nothing for it', () => {
  const { ms, sent } = clientWith([]);
  expect(ms.creditsAtMost('replayPackets', { symbol: 'BTCUSD-PERP', limit: 100 })).toBe(5);
  expect(ms.creditsAtMost('getCatalog', {})).toBe(0);
  expect(ms.creditsAtMost('getLatest', { symbol: 'ALL' })).toBeNull();
  expect(sent).toEqual([]);
});
