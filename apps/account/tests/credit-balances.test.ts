import { account } from '@market-state/contracts';
import { inTransaction } from '@market-state/postgres';
import { grantPlan, grantTopup } from '../src/credits/grants';
import { type CreditCalls, reservation, testCredits } from './credit-calls';
import { chargeOf, type CreditsUnderTest, NOON_MS, postBatch } from './credits-under-test';

const DAY_MS = 86_400_000;
const { CreditControl, CreditKind } = account;
const MONTHLY = { planId: 'public_builder', renewal: 'monthly', operationId: 'op_plan', months: null } as const;
let under: CreditsUnderTest;
let call: CreditsUnderTest['client']['call'];
let take: CreditCalls['take'];

testCredits((service, calls) => {
  under = service;
  ({ call, take } = calls);
});

/**
 * A tenant with a plan and a top-up: 30 credits in leases of two gateways, 6 of them spent; 7 and 3 credits reserved.
 */
async function busyTenant(): Promise<string> {
  const tenantId = await under.tenantWith(40, 4);
  const plan = { ...MONTHLY, ownCredits: { market_state: 20, export: 8 }, nowMs: NOON_MS };
  await inTransaction(under.pool, (client) => grantPlan(client, tenantId, plan));
  await inTransaction(under.pool, (client) => grantTopup(client, tenantId, { operationId: 'op_topup', nowMs: NOON_MS }));
  const { leaseId } = await take(tenantId, 10, 10, 'gw_1');
  await take(tenantId, 20, 20, 'gw_2');
  await call.reserve(reservation(tenantId, `op_${tenantId}`, 7, 3));
  await postBatch(call, { leaseId, batch: 1, charges: [chargeOf(tenantId, 6)] });
  return tenantId;
}

function sumOf({ available = 0, held = 0, leasedToGateways = 0 }: Partial<account.Balance>): number {
  return available + held + leasedToGateways;
}

describe('a balance', () => {
  test('says what is available, held and leased, together what the grants have left', async () => {
    const tenantId = await busyTenant();
    const { balances, grants } = await call.getBalances({ tenantId });
    expect(balances).toEqual([
      { kind: CreditKind.MARKET_STATE, available: 100_023, held: 7, leasedToGateways: 24, spentToday: 6, spentThisMonth: 6 },
      { kind: CreditKind.EXPORT, available: 509, held: 3, leasedToGateways: 0, spentToday: 0, spentThisMonth: 0 },
    ]);
    for (const balance of balances) {
      const ofKind = grants.filter(({ kind }) => kind === balance.kind);
      expect(ofKind).toHaveLength(3);
      expect(ofKind.reduce((sum, { left }) => sum + left, 0)).toBe(sumOf(balance));
    }
    expect((await call.previewCharge({ tenantId, kind: CreditKind.MARKET_STATE, credits: 1, unacknowledged: [] })).balances).toEqual(
      balances,
    );
  });

  test('goes on to be that sum when the grant ends whose credits are held', async () => {
    const tenantId = await under.tenantWith(0);
    const plan = { ...MONTHLY, planId: 'trial', renewal: 'none', ownCredits: { market_state: 20, export: 8 }, nowMs: NOON_MS } as const;
    await inTransaction(under.pool, (client) => grantPlan(client, tenantId, plan));
    under.setNow(NOON_MS + 14 * DAY_MS - 1_000);
    await take(tenantId, 5);
    under.setNow(NOON_MS + 14 * DAY_MS + 1_000);
    const { balances, grants } = await call.getBalances({ tenantId });
    expect(balances.map(sumOf)).toEqual([5, 0]);
    expect(grants).toMatchObject([{ source: 'trial', kind: CreditKind.MARKET_STATE, left: 5 }]);
  });

  test('is readable while the credits are locked, as last committed', async () => {
    const tenantId = await busyTenant();
    const before = await call.getBalances({ tenantId });
    const undone = new Error('the work is undone');
    const work = inTransaction(under.pool, async (client) => {
      await client.query('SELECT FROM tenant WHERE id = $1 FOR UPDATE', [tenantId]);
      await client.query('UPDATE credit_grant SET "left" = 0 WHERE tenant_id = $1', [tenantId]);
      expect(await call.getBalances({ tenantId })).toEqual(before);
      throw undone;
    });
    await expect(work).rejects.toBe(undone);
  });

  test('reports the credits of a new period once, whichever call comes first', async () => {
    const tenantId = await under.tenantWith(0);
    await inTransaction(under.pool, (client) =>
      grantPlan(client, tenantId, { ...MONTHLY, ownCredits: { market_state: 20, export: 8 }, nowMs: NOON_MS }),
    );
    under.setNow(NOON_MS + 40 * DAY_MS);
    const first = await call.getBalances({ tenantId });
    const fresh = first.grants.filter(({ grantedTsMs }) => grantedTsMs > NOON_MS);
    expect(fresh.length).toBeGreaterThan(0);
    expect(await call.getBalances({ tenantId })).toEqual(first);
  });
});

describe('a preview of a charge', () => {
  const preview = (tenantId: string, credits: number, kind = CreditKind.MARKET_STATE) =>
    call.previewCharge({ tenantId, kind, credits, unacknowledged: [] });

  test('counts leases as what calls may spend, sets nothing aside, and says what would be lacking', async () => {
    const tenantId = await under.tenantWith(10, 4);
    await take(tenantId, 6);
    expect(await preview(tenantId, 10)).toMatchObject({ refusal: undefined, marketStateAfter: 0, exportAfter: 4 });
    expect(await preview(tenantId, 11)).toMatchObject({
      refusal: { control: CreditControl.BALANCE, available: 10, resetsTsMs: 0 },
      marketStateAfter: -1,
    });
    expect(await preview(tenantId, 5, CreditKind.EXPORT)).toMatchObject({
      refusal: { control: CreditControl.BALANCE, available: 4 },
      marketStateAfter: 10,
      exportAfter: -1,
    });
  });

  test('names the spend control that refuses, as the refusal of the call does, and leaves what the caps leave', async () => {
    const tenantId = await under.tenantWith(1_000, 50);
    const { leaseId } = await take(tenantId, 6);
    await postBatch(call, { leaseId, batch: 1, charges: [chargeOf(tenantId, 5)] });
    const controls = { monthlyCreditCap: 100, dailyCreditCap: 20, perCallCreditCeiling: 12, exportCreditCap: 3 };
    await call.setSpendControls({ tenantId, controls });
    expect(await preview(tenantId, 12)).toMatchObject({ refusal: undefined, marketStateAfter: 3, exportAfter: 3 });
    const tooDear = { control: CreditControl.PER_CALL_CREDIT_CEILING, available: 12, resetsTsMs: 0 };
    expect(await preview(tenantId, 13)).toMatchObject({ refusal: tooDear, marketStateAfter: 2 });
    expect(await call.takeLease({ tenantId, gatewayId: 'gw_2', needed: 13, wanted: 13 })).toMatchObject({ refusal: tooDear });
    expect(await preview(tenantId, 4, CreditKind.EXPORT)).toMatchObject({ refusal: { control: CreditControl.EXPORT_CREDIT_CAP } });
    await call.endLease({ leaseId });
    await call.setSpendControls({ tenantId, controls: { ...controls, perCallCreditCeiling: undefined } });
    for (const [credits, control, available] of [
      [16, CreditControl.DAILY_CREDIT_CAP, 15],
      [96, CreditControl.MONTHLY_CREDIT_CAP, 95],
      [1_000, CreditControl.BALANCE, 995],
    ] as const) {
      const previewed = (await preview(tenantId, credits)).refusal;
      expect(previewed).toMatchObject({ control, available });
      expect((await call.takeLease({ tenantId, gatewayId: 'gw_2', needed: credits, wanted: credits })).refusal).toEqual(previewed);
    }
  });

  test('counts charges that were not posted yet as if they were, and those of a posted batch once', async () => {
    const tenantId = await busyTenant();
    const lease = await take(tenantId, 9, 9, 'gw_3');
    const of = { tenantId, kind: CreditKind.MARKET_STATE, credits: 2 };
    const unacknowledged = [{ leaseId: lease.leaseId, batch: 1, credits: 4 }];
    const strange = [
      { leaseId: 'lea_none', batch: 1, credits: 1 },
      { leaseId: lease.leaseId, batch: 2, credits: 10 },
    ];
    const before = await call.getBalances({ tenantId });
    const ahead = await call.previewCharge({ ...of, unacknowledged: [...unacknowledged, ...strange] });
    expect(await call.getBalances({ tenantId })).toEqual(before);
    await postBatch(call, { leaseId: lease.leaseId, batch: 1, charges: [chargeOf(tenantId, 4)] });
    expect(ahead).toEqual(await call.previewCharge({ ...of, unacknowledged: [] }));
    expect(ahead).toEqual(await call.previewCharge({ ...of, unacknowledged }));
    expect(ahead.balances[0]).toMatchObject({ leasedToGateways: 29, spentToday: 10 });
  });

  test('refuses an unknown tenant and no kind', async () => {
    await expect(preview('ten_none', 1)).rejects.toMatchObject({ reason: 'unknown_tenant' });
    await expect(preview('', 1, CreditKind.UNSPECIFIED)).rejects.toMatchObject({ faults: [{ field: 'tenant_id' }, { field: 'kind' }] });
  });
});
