import { account } from '@market-state/contracts';
import { waitUntil } from '@market-state/testing';
import { anyReceipt, type CreditCalls, reservation, testCredits } from './credit-calls';
import { chargeOf, type CreditsUnderTest, NOON_MS, postBatch, pricedAt } from './credits-under-test';

const { CreditControl } = account;
let under: CreditsUnderTest;
let call: CreditsUnderTest['client']['call'];
let sweepNow: CreditCalls['sweepNow'];
let take: CreditCalls['take'];
let balanceOf: CreditCalls['balanceOf'];

testCredits((service, calls) => {
  under = service;
  ({ call, sweepNow, take, balanceOf } = calls);
});

describe('leases', () => {
  test('a lease sets credits aside; batches charge them, each once; the rest comes back', async () => {
    const tenantId = await under.tenantWith(100);
    const lease = await take(tenantId, 5, 60);
    expect(lease).toMatchObject({ amount: 60, available: 40, endsAtReset: false });
    expect(lease.expiresTsMs - NOON_MS).toBeGreaterThan(59_000);
    const charges = [chargeOf(tenantId, 7), chargeOf(tenantId, 3)];
    for (let times = 0; times < 3; times += 1) {
      expect(await postBatch(call, { leaseId: lease.leaseId, batch: 1, charges })).toEqual({ available: 40, leaseLeft: 50 });
    }
    expect(await balanceOf(tenantId)).toEqual({ available: 40, held: 0, leasedToGateways: 50, spentToday: 10, spentThisMonth: 10 });
    await call.endLease({ leaseId: lease.leaseId });
    await call.endLease({ leaseId: lease.leaseId });
    expect(await balanceOf(tenantId)).toEqual({ available: 90, held: 0, leasedToGateways: 0, spentToday: 10, spentThisMonth: 10 });
    expect(await postBatch(call, { leaseId: lease.leaseId, batch: 1, charges })).toEqual({ available: 90, leaseLeft: 0 });
    await expect(postBatch(call, { leaseId: lease.leaseId, batch: 2, charges: [chargeOf(tenantId, 1)] })).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'lease_over',
    });
  });

  test('a call that is charged on two leases is charged once', async () => {
    const tenantId = await under.tenantWith(100);
    const [one, other] = [await take(tenantId, 20), await take(tenantId, 20, 20, 'gw_2')];
    const charge = chargeOf(tenantId, 5);
    await postBatch(call, { leaseId: one.leaseId, batch: 1, charges: [charge] });
    expect(await postBatch(call, { leaseId: other.leaseId, batch: 1, charges: [charge, chargeOf(tenantId, 1)] })).toMatchObject({
      leaseLeft: 19,
    });
  });

  test('batches out of turn, beyond the lease, of another tenant, or of what is not charged, change nothing', async () => {
    const tenantId = await under.tenantWith(100);
    const stranger = await under.tenantWith(100);
    const { leaseId } = await take(tenantId, 10);
    const refused: [number, account.Charge[], string[]][] = [
      [2, [chargeOf(tenantId, 1)], ['batch']],
      [1, [chargeOf(tenantId, 11)], ['charges']],
      [1, [chargeOf(stranger, 1)], ['charges[0].caller.tenant_id']],
      [1, [], ['charges']],
      [
        0,
        [{ ...chargeOf(tenantId, 1), status: 500, operationId: '', caller: undefined }],
        ['batch', 'charges[0].operation_id', 'charges[0].caller', 'charges[0].status'],
      ],
      [
        1,
        [{ ...chargeOf(tenantId, 1), priced: { ...pricedAt(1, 0), observedMarketStateCredits: 2, workloadFamily: 'gold' } }],
        ['charges[0].priced.workload_family', 'charges[0].priced.observed_market_state_credits'],
      ],
    ];
    for (const [batch, charges, fields] of refused) {
      const error = await postBatch(call, { leaseId, batch, charges }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', faults: fields.map((field) => expect.objectContaining({ field })) });
    }
    expect(await postBatch(call, { leaseId, batch: 1, charges: [chargeOf(tenantId, 10)] })).toEqual({ available: 90, leaseLeft: 0 });
  });

  test('batches are taken for 30 s after a lease has expired; then it is released, and they are refused', async () => {
    const tenantId = await under.tenantWith(100);
    const lease = await take(tenantId, 10);
    under.setNow(lease.expiresTsMs + 25_000);
    expect(await postBatch(call, { leaseId: lease.leaseId, batch: 1, charges: [chargeOf(tenantId, 4)] })).toEqual({
      available: 90,
      leaseLeft: 6,
    });
    under.setNow(lease.expiresTsMs + 30_000);
    await sweepNow();
    expect(
      (await under.pool.query('SELECT held::int FROM credit_total WHERE tenant_id = $1 AND kind = $2', [tenantId, 'market_state'])).rows,
    ).toEqual([{ held: 0 }]);
    await expect(postBatch(call, { leaseId: lease.leaseId, batch: 2, charges: [chargeOf(tenantId, 1)] })).rejects.toMatchObject({
      reason: 'lease_over',
    });
    // The logger writes one line of a kind per second, so another test's warning may delay this one.
    await waitUntil('the warning', () =>
      under.service.lines.some((line) => line.includes(lease.leaseId) && line.includes('lease is over')),
    );
    expect(await balanceOf(tenantId)).toMatchObject({ available: 96, held: 0 });
  });

  test('a lease ends at midnight, and what it held then does not count against the new day', async () => {
    const tenantId = await under.tenantWith(1_000);
    const midnightMs = NOON_MS + 12 * 3_600_000;
    await call.setSpendControls({ tenantId, controls: { dailyCreditCap: 100 } });
    under.setNow(midnightMs - 20_000);
    const lease = await take(tenantId, 90);
    expect(lease).toMatchObject({ expiresTsMs: midnightMs, endsAtReset: true, available: 10 });
    under.setNow(midnightMs + 1_000);
    expect(await take(tenantId, 100, 100, 'gw_2')).toMatchObject({ amount: 100, available: 0 });
    await postBatch(call, { leaseId: lease.leaseId, batch: 1, charges: [chargeOf(tenantId, 90)] });
    expect(await balanceOf(tenantId)).toMatchObject({ spentToday: 0, spentThisMonth: 90 });
    const { rows } = await call.getUsage({ tenantId, fromTsMs: NOON_MS - 43_200_000, toTsMs: midnightMs + 1, workloadFamily: '' });
    expect(rows).toMatchObject([{ dayTsMs: midnightMs - 86_400_000, calls: 1, marketStateCredits: 90, keyId: 'key_1' }]);
  });

  test('nothing needed is given even where nothing is left, for calls that cost nothing', async () => {
    const tenantId = await under.tenantWith(0);
    const { leaseId, amount } = await take(tenantId, 0);
    expect(amount).toBe(0);
    expect(await postBatch(call, { leaseId, batch: 1, charges: [chargeOf(tenantId, 0)] })).toEqual({ available: 0, leaseLeft: 0 });
    expect((await call.listReceipts({ ...anyReceipt(tenantId), limit: 5 })).receipts).toHaveLength(1);
  });
});

describe('refusals', () => {
  test('an empty balance says so, and when the plan gives again', async () => {
    const poor = await under.tenantWith(3);
    expect(await call.takeLease({ tenantId: poor, gatewayId: 'gw_1', needed: 4, wanted: 4 })).toEqual({
      refusal: { control: CreditControl.BALANCE, available: 3, resetsTsMs: 0 },
      lease: undefined,
    });
    await under.pool.query(`UPDATE tenant SET plan_id = 'public_builder', renewal = 'monthly', billing_anchor = $2 WHERE id = $1`, [
      poor,
      new Date(NOON_MS - 60_000),
    ]);
    const { refusal } = await call.takeLease({ tenantId: poor, gatewayId: 'gw_1', needed: 200_000, wanted: 1 });
    expect(refusal).toEqual({ control: CreditControl.BALANCE, available: 100_003, resetsTsMs: Date.UTC(2027, 1, 15, 11, 59) });
  });

  test('a cap names itself and its reset; of two the one that lasts longer', async () => {
    const tenantId = await under.tenantWith(1_000, 50);
    const refusal = async (controls: account.SpendControls) => {
      await call.setSpendControls({ tenantId, controls });
      expect((await call.getSpendControls({ tenantId })).controls).toMatchObject(controls);
      return (await call.takeLease({ tenantId, gatewayId: 'gw_1', needed: 21, wanted: 21 })).refusal;
    };
    expect(await refusal({ dailyCreditCap: 20 })).toEqual({
      control: CreditControl.DAILY_CREDIT_CAP,
      available: 20,
      resetsTsMs: Date.UTC(2027, 0, 16),
    });
    expect(await refusal({ dailyCreditCap: 20, monthlyCreditCap: 10 })).toEqual({
      control: CreditControl.MONTHLY_CREDIT_CAP,
      available: 10,
      resetsTsMs: Date.UTC(2027, 1, 1),
    });
    expect(await refusal({ exportCreditCap: 5 })).toBeUndefined();
    const reserved = await call.reserve(reservation(tenantId, 'op_cap', 0, 6));
    expect(reserved).toMatchObject({
      reserved: false,
      refusal: { control: CreditControl.EXPORT_CREDIT_CAP, available: 5, resetsTsMs: Date.UTC(2027, 1, 1) },
    });
  });

  test('an unknown tenant is refused, and every bad field is named', async () => {
    await expect(call.getBalances({ tenantId: 'ten_unknown' })).rejects.toMatchObject({ code: 'NOT_FOUND', reason: 'unknown_tenant' });
    await expect(call.takeLease({ tenantId: '', gatewayId: '', needed: 1, wanted: 0 })).rejects.toMatchObject({
      faults: [{ field: 'tenant_id' }, { field: 'gateway_id' }, { field: 'wanted' }],
    });
  });
});

describe('recalls', () => {
  test('credits that lie idle in the lease of another gateway are recalled before anybody is refused', async () => {
    const tenantId = await under.tenantWith(100);
    const idle = await take(tenantId, 90, 90, 'gw_idle');
    const stop = new AbortController();
    const idleGateway = (async () => {
      for await (const { leaseIds } of call.watchRecalls({ gatewayId: 'gw_idle' }, { signal: stop.signal })) {
        for (const leaseId of leaseIds) {
          await postBatch(call, { leaseId, batch: 1, charges: [chargeOf(tenantId, 5)] });
          await call.endLease({ leaseId });
        }
      }
    })().catch(() => undefined);
    expect(await take(tenantId, 60, 60, 'gw_busy')).toMatchObject({ amount: 60, available: 35 });
    await expect(postBatch(call, { leaseId: idle.leaseId, batch: 2, charges: [chargeOf(tenantId, 1)] })).rejects.toMatchObject({
      reason: 'lease_over',
    });
    stop.abort();
    await idleGateway;
  });

  test('an unresponsive gateway does not cause a shortfall: the call may be retried once its lease is released', async () => {
    const tenantId = await under.tenantWith(100);
    const lease = await take(tenantId, 90, 90, 'gw_dead');
    const fromMs = under.now();
    const error = await call.takeLease({ tenantId, gatewayId: 'gw_2', needed: 50, wanted: 50 }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'UNAVAILABLE', reason: 'credits_held' });
    const waitS = Number((error as { metadata: Record<string, string> }).metadata['retry_after_s']);
    const releasedMs = lease.expiresTsMs + 30_000;
    expect(waitS).toBeGreaterThanOrEqual(Math.floor((releasedMs - under.now()) / 1_000));
    expect(waitS).toBeLessThanOrEqual(Math.ceil((releasedMs - fromMs) / 1_000));
    // Recalled before any call was refused.
    expect((await under.pool.query('SELECT recalled_at FROM credit_lease WHERE id = $1', [lease.leaseId])).rows).toEqual([
      { recalled_at: expect.any(Date) as Date },
    ]);
    // Refused immediately: even all leases together do not suffice.
    expect((await call.takeLease({ tenantId, gatewayId: 'gw_2', needed: 101, wanted: 101 })).refusal).toMatchObject({
      control: CreditControl.BALANCE,
      available: 10,
    });
    under.setNow(lease.expiresTsMs + 30_001);
    expect(await take(tenantId, 50, 50, 'gw_2')).toMatchObject({ amount: 50, available: 50 });
  });

  test('a limit set below what leases hold recalls them, and a ceiling reaches every gateway', async () => {
    const tenantId = await under.tenantWith(1_000);
    const lease = await take(tenantId, 500, 500, 'gw_a');
    const nextRecall = async (): Promise<string[]> => {
      const stop = new AbortController();
      for await (const { leaseIds } of call.watchRecalls({ gatewayId: 'gw_a' }, { signal: stop.signal })) {
        if (leaseIds.length === 0) continue;
        stop.abort();
        return leaseIds;
      }
      return [];
    };
    await call.setSpendControls({ tenantId, controls: { dailyCreditCap: 500 } });
    expect((await under.pool.query('SELECT recalled_at FROM credit_lease WHERE id = $1', [lease.leaseId])).rows).toEqual([
      { recalled_at: null },
    ]);
    await call.setSpendControls({ tenantId, controls: { dailyCreditCap: 499 } });
    expect(await nextRecall()).toEqual([lease.leaseId]);
    await call.endLease({ leaseId: lease.leaseId });
    const second = await take(tenantId, 10, 10, 'gw_a');
    await call.setSpendControls({ tenantId, controls: { dailyCreditCap: 499, perCallCreditCeiling: 3 } });
    expect(await nextRecall()).toEqual([second.leaseId]);
    expect(await take(tenantId, 1, 1, 'gw_a')).toMatchObject({ perCallCeiling: 3 });
  });
});
