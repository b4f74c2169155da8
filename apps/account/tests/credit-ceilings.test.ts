import { account } from '@market-state/contracts';
import type { GrpcClient } from '@market-state/grpc';
import { timeLimit } from '@market-state/lifecycle';
import fc from 'fast-check';
import { anyStep, type Budgeted, CEILING, chargedAtOnce, playSteps, takeUnder, WINDOW_MS } from './ceiling-runs';
import { type CreditCalls, reservation, testCredits } from './credit-calls';
import { chargeOf, type CreditsUnderTest, NOON_MS, postBatch } from './credits-under-test';

const { CreditControl } = account;
const HOUR_S = 3_600;
const HOUR_MS = HOUR_S * 1_000;

let under: CreditsUnderTest;
let call: CreditsUnderTest['client']['call'];
let balanceOf: CreditCalls['balanceOf'];
let keys: GrpcClient<account.KeyServiceService>['call'];

testCredits((service, calls) => {
  under = service;
  ({ call, balanceOf } = calls);
  keys = service.service.client.call;
});

async function newKey(tenantId: string, creditCeiling?: account.CreditCeiling): Promise<string> {
  const { record } = await keys.createKey({
    tenantId,
    name: 'agent',
    kind: account.KeyKind.LIVE,
    scopes: [account.Scope.READ],
    expiresTsMs: 0,
    creditCeiling,
  });
  return record?.keyId ?? '';
}

/** A well-funded tenant and one of its keys with this ceiling. */
async function keyUnder(credits: number, windowSeconds = HOUR_S): Promise<Budgeted> {
  const tenantId = await under.tenantWith(10_000, 100);
  return { tenantId, keyId: await newKey(tenantId, { credits, windowSeconds }) };
}

const take = (of: Budgeted, needed: number, wanted = needed, gatewayId = 'gw_1') => takeUnder(call, of, needed, wanted, gatewayId);

async function leaseOf(of: Budgeted, needed: number, wanted = needed, gatewayId = 'gw_1'): Promise<account.Lease> {
  const { lease } = await take(of, needed, wanted, gatewayId);
  if (lease === undefined) throw new Error('no lease');
  return lease;
}

const update = ({ tenantId, keyId }: Budgeted, creditCeiling: account.CreditCeiling) =>
  keys.updateKey({ tenantId, keyId, scopes: [], creditCeiling });

async function standingOf({ tenantId, keyId }: Budgeted): Promise<account.CeilingStanding | undefined> {
  return (await call.getBalances({ tenantId, keyId })).ceiling;
}

describe('a ceiling', () => {
  test('is shown with its key, keeps counting with other credits, restarts with another window, and can be removed', async () => {
    const of = await keyUnder(50);
    const { leaseId } = await leaseOf(of, 20);
    await postBatch(call, { leaseId, batch: 1, charges: [chargeOf(of.tenantId, 7)] });
    const shown = async () => (await keys.listKeys({ tenantId: of.tenantId, limit: 1, cursor: '' })).keys[0]?.creditCeiling;
    const counted = { ceiling: { credits: 50, windowSeconds: HOUR_S }, spent: 7, available: 43, resetsTsMs: NOON_MS + HOUR_MS };
    expect(await shown()).toEqual(counted);
    expect(await update(of, { credits: 30, windowSeconds: HOUR_S })).toMatchObject({
      key: { creditCeiling: { ...counted, ceiling: { credits: 30, windowSeconds: HOUR_S }, available: 23 } },
    });
    await update(of, { credits: 30, windowSeconds: 86_400 });
    expect(await shown()).toMatchObject({ spent: 0, available: 30, resetsTsMs: NOON_MS + 12 * HOUR_MS });
    await update(of, { credits: 0, windowSeconds: 0 });
    expect(await shown()).toBeUndefined();
    expect((await leaseOf(of, 500)).amount).toBe(500);
  });

  test('is refused with all faults, also if only half is given', async () => {
    const of = await keyUnder(50);
    const faults = [{ field: 'credit_ceiling.credits' }, { field: 'credit_ceiling.window_seconds' }];
    const beyond = { credits: 1_000_000_001, windowSeconds: 2_678_401 };
    await expect(newKey(of.tenantId, beyond)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', faults });
    await expect(newKey(of.tenantId, { credits: 0, windowSeconds: 59 })).rejects.toMatchObject({ faults });
    await expect(update(of, beyond)).rejects.toMatchObject({ faults });
    await expect(update(of, { credits: 5, windowSeconds: 0 })).rejects.toMatchObject({ faults: faults.slice(1) });
    await expect(update(of, { credits: 0, windowSeconds: 60 })).rejects.toMatchObject({ faults: faults.slice(0, 1) });
  });

  test('lets a key be leased no more than it leaves, and says what it was, what is spent and when it resets', async () => {
    const of = await keyUnder(50);
    const lease = await leaseOf(of, 1, 200);
    expect(lease).toMatchObject({ amount: 50, available: 0, endsAtReset: false });
    await postBatch(call, { leaseId: lease.leaseId, batch: 1, charges: [chargeOf(of.tenantId, 47)] });
    await call.endLease({ leaseId: lease.leaseId });
    const ceiling = { ceiling: { credits: 50, windowSeconds: HOUR_S }, spent: 47, available: 3, resetsTsMs: NOON_MS + HOUR_MS };
    expect(await take(of, 4)).toEqual({
      refusal: { control: CreditControl.CREDIT_CEILING, available: 3, resetsTsMs: NOON_MS + HOUR_MS, ceiling },
    });
    expect((await leaseOf(of, 3)).amount).toBe(3);
    expect((await balanceOf(of.tenantId)).available).toBe(10_000 - 50);
    expect((await call.takeLease({ tenantId: of.tenantId, gatewayId: 'gw_1', needed: 100, wanted: 100 })).lease?.amount).toBe(100);
  });

  test('gives a whole window its credits, and none of them to the next: what was leased before the edge counts before it', async () => {
    const of = await keyUnder(50, 60);
    under.setNow(NOON_MS + 50_000);
    const before = await leaseOf(of, 50);
    expect(before).toMatchObject({ endsAtReset: true, expiresTsMs: NOON_MS + 60_000 });
    under.setNow(NOON_MS + 60_000);
    const after = await leaseOf(of, 50);
    await postBatch(call, { leaseId: before.leaseId, batch: 1, charges: [chargeOf(of.tenantId, 50)] });
    expect(await standingOf(of)).toMatchObject({ spent: 0, available: 50 });
    await postBatch(call, { leaseId: after.leaseId, batch: 1, charges: [chargeOf(of.tenantId, 50)] });
    expect(await take(of, 1)).toMatchObject({ refusal: { control: CreditControl.CREDIT_CEILING, ceiling: { spent: 50 } } });
  });

  test('holds for exports too, whose credits count like others, and calls back leases for them', async () => {
    const of = await keyUnder(10);
    const order = (operationId: string, exports: number) => ({
      ...reservation(of.tenantId, operationId, 0, exports),
      caller: { tenantId: of.tenantId, keyId: of.keyId, accountId: '' },
    });
    expect(await call.reserve(order(`a ${of.keyId}`, 8))).toMatchObject({ reserved: true, available: 2 });
    expect(await call.reserve(order(`b ${of.keyId}`, 3))).toMatchObject({
      reserved: false,
      refusal: { control: CreditControl.CREDIT_CEILING, available: 2, ceiling: { spent: 0 } },
    });
    const lease = await leaseOf(of, 2);
    await call.settle({ operationId: `a ${of.keyId}`, observedMarketStateCredits: 0, observedExportCredits: 5, artifactIds: [] });
    expect(await standingOf(of)).toMatchObject({ spent: 5, available: 5 });
    const recalls = call.watchRecalls({ gatewayId: 'gw_1' }, { signal: timeLimit(5_000) });
    const requested = call.reserve(order(`c ${of.keyId}`, 5));
    for await (const { leaseIds } of recalls) {
      if (!leaseIds.includes(lease.leaseId)) continue;
      await call.endLease({ leaseId: lease.leaseId });
      break;
    }
    expect(await requested).toMatchObject({ reserved: true });
    await call.release({ operationId: `c ${of.keyId}` });
  });

  test('counts both kinds of one reservation together', async () => {
    const of = await keyUnder(10);
    const both = {
      ...reservation(of.tenantId, `both ${of.keyId}`, 6, 6),
      caller: { tenantId: of.tenantId, keyId: of.keyId, accountId: '' },
    };
    expect(await call.reserve(both)).toMatchObject({ reserved: false, refusal: { control: CreditControl.CREDIT_CEILING } });
    expect(await balanceOf(of.tenantId, account.CreditKind.EXPORT)).toMatchObject({ available: 100, held: 0 });
  });

  test('is one for a key and its successor', async () => {
    const of = await keyUnder(10);
    const { created } = await keys.rotateKey({ ...of, overlapMs: HOUR_MS });
    const successor = { tenantId: of.tenantId, keyId: created?.keyId ?? '' };
    await leaseOf(of, 6);
    expect((await leaseOf(successor, 4)).amount).toBe(4);
    await update(successor, { credits: 12, windowSeconds: HOUR_S });
    expect(await standingOf(of)).toMatchObject({ ceiling: { credits: 12 } });
    await update(of, { credits: 0, windowSeconds: 0 });
    expect(await standingOf(successor)).toBeUndefined();
  });

  test('is foreseen by an estimate', async () => {
    const of = await keyUnder(10);
    const preview = (kind: account.CreditKind, credits: number) => call.previewCharge({ ...of, kind, credits, unacknowledged: [] });
    expect(await preview(account.CreditKind.MARKET_STATE, 4)).toMatchObject({ marketStateAfter: 6, exportAfter: 6, refusal: undefined });
    expect(await preview(account.CreditKind.EXPORT, 11)).toMatchObject({ refusal: { control: CreditControl.CREDIT_CEILING } });
    expect(
      await call.previewCharge({ tenantId: of.tenantId, kind: account.CreditKind.EXPORT, credits: 11, unacknowledged: [] }),
    ).toMatchObject({
      exportAfter: 89,
    });
  });

  test('calls its leases back when it is changed', async () => {
    const of = await keyUnder(10);
    const { leaseId } = await leaseOf(of, 8);
    await update(of, { credits: 5, windowSeconds: HOUR_S });
    const recalls = call.watchRecalls({ gatewayId: 'gw_1' }, { signal: timeLimit(5_000) });
    for await (const { leaseIds } of recalls) if (leaseIds.includes(leaseId)) break;
    expect(await standingOf(of)).toMatchObject({ available: 5 });
  });
});

describe('no interleaving passes a ceiling', () => {
  test('of 40 calls at once from four gateways', async () => {
    const of = await keyUnder(50);
    const charged = await chargedAtOnce([call], of, 40);
    expect(charged).toBeLessThanOrEqual(50);
    expect(charged).toBeGreaterThan(47);
    expect(await standingOf(of)).toMatchObject({ spent: charged });
  });

  test('of leases, charges, exports and hours that pass, in any order', async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 15, maxLength: 40 }), async (steps) => {
        under.setNow(NOON_MS);
        await playSteps(under, await keyUnder(CEILING, WINDOW_MS / 1_000), steps, (runs += 1));
      }),
      { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 3), endOnFailure: true },
    );
  });
});
