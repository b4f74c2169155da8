import { account } from '@market-state/contracts';
import { anyReceipt, type CreditCalls, reservation, testCredits } from './credit-calls';
import { chargeByGateways, chargeOf, type CreditsUnderTest, NOON_MS, postBatch } from './credits-under-test';

const MINUTE_MS = 60_000;
const { CreditKind } = account;
let under: CreditsUnderTest;
let call: CreditsUnderTest['client']['call'];
let take: CreditCalls['take'];
let balanceOf: CreditCalls['balanceOf'];

testCredits((service, calls) => {
  under = service;
  ({ call, take, balanceOf } = calls);
});

describe('reservations', () => {
  test('long work is charged what was observed, at most what was reserved, once, with a receipt', async () => {
    const tenantId = await under.tenantWith(100, 20);
    for (let times = 0; times < 2; times += 1)
      expect(await call.reserve(reservation(tenantId, 'op_job', 0, 12))).toMatchObject({ reserved: true, available: 8 });
    const settled = { operationId: 'op_job', observedMarketStateCredits: 9, observedExportCredits: 15, artifactIds: ['job_1'] };
    const { receiptId } = await call.settle(settled);
    expect(await call.settle(settled)).toEqual({ receiptId });
    expect(await balanceOf(tenantId, CreditKind.EXPORT)).toEqual({
      available: 8,
      held: 0,
      leasedToGateways: 0,
      spentToday: 12,
      spentThisMonth: 12,
    });
    const { receipts } = await call.listReceipts({ ...anyReceipt(tenantId), receiptId });
    expect(receipts).toMatchObject([
      {
        operationId: 'op_job',
        status: 200,
        caller: { tenantId, keyId: 'key_1' },
        priced: { estimatedExportCredits: 12, observedExportCredits: 12, observedMarketStateCredits: 0, artifactIds: ['job_1'] },
      },
    ]);
    await expect(call.release({ operationId: 'op_job' })).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'reservation_over',
    });
  });

  test('a release charges nothing, and a hold past its time ends by itself', async () => {
    const tenantId = await under.tenantWith(100, 20);
    await call.reserve(reservation(tenantId, 'op_a', 10, 5));
    expect(await balanceOf(tenantId)).toMatchObject({ available: 90, held: 10 });
    for (let times = 0; times < 2; times += 1) await call.release({ operationId: 'op_a' });
    await call.release({ operationId: 'op_unknown' });
    await call.reserve(reservation(tenantId, 'op_b', 0, 5));
    under.setNow(NOON_MS + 10 * MINUTE_MS);
    expect(await balanceOf(tenantId, CreditKind.EXPORT)).toMatchObject({ available: 20, held: 0 });
    for (const operationId of ['op_a', 'op_b', 'op_unknown']) {
      await expect(
        call.settle({ operationId, observedMarketStateCredits: 0, observedExportCredits: 1, artifactIds: [] }),
      ).rejects.toMatchObject({ reason: 'reservation_over' });
    }
    await expect(call.reserve({ ...reservation(tenantId, 'op_a', 0, 5), expiresTsMs: NOON_MS + 20 * MINUTE_MS })).rejects.toMatchObject({
      reason: 'reservation_over',
    });
  });
});

test('the plan and the monthly cap report 80 and 100 percent, once', async () => {
  const tenantId = await under.tenantWith(1_000);
  await under.pool.query(
    `UPDATE tenant SET plan_id = 'enterprise', renewal = 'daily', billing_anchor = now(), own_market_state_credits = 100 WHERE id = $1`,
    [tenantId],
  );
  await call.setSpendControls({ tenantId, controls: { monthlyCreditCap: 200 } });
  const { leaseId } = await take(tenantId, 180);
  const events = async () =>
    (await under.pool.query('SELECT kind, payload FROM outbox WHERE tenant_id = $1 ORDER BY id', [tenantId])).rows.map(({ payload }) => [
      payload.control,
      payload.percent,
      payload.used,
      payload.limit,
    ]);
  await postBatch(call, { leaseId, batch: 1, charges: [chargeOf(tenantId, 79)] });
  expect(await events()).toEqual([]);
  await postBatch(call, { leaseId, batch: 2, charges: [chargeOf(tenantId, 41)] });
  expect(await events()).toEqual([
    ['plan_credits', 80, 100, 100],
    ['plan_credits', 100, 100, 100],
  ]);
  await postBatch(call, { leaseId, batch: 3, charges: [chargeOf(tenantId, 50)] });
  await call.setSpendControls({ tenantId, controls: { monthlyCreditCap: 170 } });
  await call.setSpendControls({ tenantId, controls: { monthlyCreditCap: 400 } });
  expect((await events()).slice(2)).toEqual([
    ['monthly_credit_cap', 80, 170, 200],
    ['monthly_credit_cap', 100, 170, 170],
  ]);
});

test('pages of receipts neither repeat nor skip while receipts are written', async () => {
  const tenantId = await under.tenantWith(1_000);
  const { leaseId } = await take(tenantId, 500);
  let batch = 0;
  const write = (names: string[]) =>
    postBatch(call, { leaseId, batch: (batch += 1), charges: names.map((name) => chargeOf(tenantId, 1, name)) });
  const names = Array.from({ length: 25 }, (_, index) => `page_${index}`);
  for (const name of names) await write([name]);
  const seen: string[] = [];
  for (let cursor = '', at = 0; at === 0 || cursor !== ''; at += 1) {
    const page = await call.listReceipts({ ...anyReceipt(tenantId), limit: 4, cursor });
    seen.push(...page.receipts.map(({ operationId }) => operationId));
    cursor = page.nextCursor;
    await write([`new_${at}`]);
  }
  expect(seen).toEqual([...names].reverse());
  expect((await call.listReceipts({ ...anyReceipt(tenantId), requestId: 'req_page_3' })).receipts).toHaveLength(1);
  expect((await call.listReceipts({ ...anyReceipt(tenantId), workloadFamily: 'workbench' })).receipts).toEqual([]);
  expect((await call.listReceipts({ ...anyReceipt(await under.tenantWith(1)), requestId: 'req_page_3' })).receipts).toEqual([]);
  await expect(call.listReceipts({ ...anyReceipt(tenantId), cursor: 'x' })).rejects.toMatchObject({ faults: [{ field: 'cursor' }] });
});

test('gateways that take, charge and end at once never spend more than there is', async () => {
  const tenantId = await under.tenantWith(100);
  await call.setSpendControls({ tenantId, controls: { dailyCreditCap: 60 } });
  const total = await chargeByGateways(call, tenantId, { gateways: 4, rounds: 10 });
  expect(total).toBe(60);
  expect(await balanceOf(tenantId)).toEqual({ available: 40, held: 0, leasedToGateways: 0, spentToday: total, spentThisMonth: total });
});
