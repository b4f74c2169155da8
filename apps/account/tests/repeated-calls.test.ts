import { createHash } from 'node:crypto';
import { account } from '@market-state/contracts';
import { createClient, type GrpcClient } from '@market-state/grpc';
import { patientPeer } from '@market-state/testing';
import { type AccountUnderTest, orderFor, startAccountUnderTest } from './account-under-test';

let service: AccountUnderTest;
let idempotency: GrpcClient<account.IdempotencyServiceService>;
let billing: GrpcClient<account.BillingServiceService>;
beforeAll(async () => {
  service = await startAccountUnderTest();
  idempotency = createClient({ definition: account.IdempotencyServiceService, ...patientPeer('account'), address: service.server.address });
  billing = createClient({ definition: account.BillingServiceService, ...patientPeer('account'), address: service.server.address });
});
afterAll(async () => {
  await Promise.all([idempotency.close(), billing.close()]);
  await service.stop();
});

let tenants = 0;
async function newTenant(): Promise<string> {
  tenants += 1;
  const { tenantId, keyId } = await service.client.call.issueKey(orderFor(`repeating-${tenants}`));
  await service.client.call.revokeKey({ keyId, tenantId });
  return tenantId;
}

/** Claims the Idempotency-Key for a try of a call. */
async function begin(
  tenantId: string,
  idempotencyKey = 'one-call',
): Promise<{ readonly operationId: string; readonly operationFence: number }> {
  const bodyDigest = createHash('sha256').update('the call').digest();
  const { outcome } = await idempotency.call.begin({ tenantId, method: 'POST', route: '/things', idempotencyKey, bodyDigest });
  if (outcome?.$case !== 'begun') throw new Error(`the call is ${outcome?.$case ?? 'nothing'}`);
  return { operationId: outcome.value.operationId, operationFence: outcome.value.fence };
}

/** The owner's lease expires, so another may take over. */
function ownerDies(): void {
  service.clock.aheadMs += 60_000;
}

const answer = { status: 200, contentType: 'application/json', body: Buffer.from('{}'), location: '' };

describe('a key asked for by a call that is repeated', () => {
  const make = (tenantId: string, own: { operationId?: string; operationFence?: number }): Promise<account.CreateKeyResponse> =>
    service.client.call.createKey({
      tenantId,
      name: 'once',
      kind: account.KeyKind.LIVE,
      scopes: [account.Scope.READ],
      expiresTsMs: 0,
      ...own,
    });
  const activeKeys = async (tenantId: string): Promise<account.KeyRecord[]> =>
    (await service.client.call.listKeys({ tenantId, limit: 100, cursor: '' })).keys.filter(({ revokedTsMs }) => revokedTsMs === 0);

  test('is one key, whose newest secret opens and whose undelivered one does not', async () => {
    const tenantId = await newTenant();
    const lost = await make(tenantId, await begin(tenantId));
    ownerDies();
    const reported = await make(tenantId, await begin(tenantId));
    expect(reported.record).toMatchObject({ keyId: lost.record?.keyId, displayLast: reported.key.slice(-4) });
    expect(await activeKeys(tenantId)).toEqual([reported.record]);
    expect(await service.verify(lost.key)).toBeUndefined();
    expect(await service.verify(reported.key)).toMatchObject({ keyId: reported.record?.keyId, tenantId });
  });

  test('is not taken from a try that goes on by one that another has taken over from, before and after the answer', async () => {
    const tenantId = await newTenant();
    const late = await begin(tenantId);
    await make(tenantId, late);
    ownerDies();
    const own = await begin(tenantId);
    const reported = await make(tenantId, own);
    await expect(make(tenantId, late)).rejects.toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'fence_passed' });
    const { operationId, operationFence: fence } = own;
    await idempotency.call.finish({ tenantId, operationId, fence, answer });
    await expect(make(tenantId, own)).rejects.toMatchObject({ reason: 'fence_passed' });
    expect(await service.verify(reported.key)).toBeDefined();
  });

  test('stays as it is once it was used, and ended once it was ended', async () => {
    const tenantId = await newTenant();
    const used = await make(tenantId, { operationId: 'op_used' });
    await service.verify(used.key);
    await expect(eventually(() => make(tenantId, { operationId: 'op_used' }))).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'key_in_use',
    });
    const ended = await make(tenantId, { operationId: 'op_ended' });
    await service.client.call.revokeKey({ keyId: ended.record?.keyId ?? '', tenantId });
    await expect(make(tenantId, { operationId: 'op_ended' })).rejects.toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'key_ended' });
  });

  test('is one of twenty at once too, and another one for another tenant, another operation and none', async () => {
    const [tenantId, other] = [await newTenant(), await newTenant()];
    await Promise.all(Array.from({ length: 20 }, () => make(tenantId, { operationId: 'op_1' })));
    expect(await activeKeys(tenantId)).toHaveLength(1);
    for (const own of [{ operationId: 'op_2' }, {}, {}]) await make(tenantId, own);
    await make(other, { operationId: 'op_1' });
    expect(await activeKeys(tenantId)).toHaveLength(4);
    expect(await activeKeys(other)).toHaveLength(1);
  });

  test('is within the tenant’s limit when the limit was reached since', async () => {
    const tenantId = await newTenant();
    await make(tenantId, { operationId: 'op_first' });
    for (let key = 1; key < 20; key += 1) await make(tenantId, {});
    expect((await make(tenantId, { operationId: 'op_first' })).key).toMatch(/^msk_live_/);
    await expect(make(tenantId, { operationId: 'op_21' })).rejects.toMatchObject({ reason: 'too_many_keys' });
  });

  /** Key use is recorded asynchronously, so retry until a try is refused. */
  async function eventually(repeat: () => Promise<account.CreateKeyResponse>): Promise<never> {
    for (;;) await service.verify((await repeat()).key);
  }
});

describe('a checkout asked for by a call that is repeated', () => {
  const order = async (tenantId: string, own: { operationId?: string; operationFence?: number }): Promise<account.Order | undefined> =>
    (
      await billing.call.createCheckout({
        tenantId,
        accountId: '',
        planId: 'topup',
        billingInterval: 'month',
        references: { contact_reference: 'c-1' },
        ...own,
      })
    ).order;
  const total = async (tenantId: string): Promise<number> =>
    (await service.sql('SELECT FROM billing_order WHERE tenant_id = $1', [tenantId])).length;

  test('is one order with one address', async () => {
    const tenantId = await newTenant();
    const lost = await order(tenantId, await begin(tenantId));
    ownerDies();
    expect(await order(tenantId, await begin(tenantId))).toEqual(lost);
    expect(await total(tenantId)).toBe(1);
  });

  test('gets its address by a further try when the first one died before it had it', async () => {
    const tenantId = await newTenant();
    const made = await order(tenantId, { operationId: 'op_1' });
    await service.sql(`UPDATE billing_order SET checkout_url = '' WHERE tenant_id = $1`, [tenantId]);
    expect(await order(tenantId, { operationId: 'op_1' })).toEqual(made);
  });

  test('is one of twenty at once too, and refused to a try that another has taken over from', async () => {
    const tenantId = await newTenant();
    const late = await begin(tenantId);
    await Promise.all(Array.from({ length: 20 }, () => order(tenantId, late)));
    expect(await total(tenantId)).toBe(1);
    ownerDies();
    await begin(tenantId);
    await expect(order(tenantId, late)).rejects.toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'fence_passed' });
  });
});

test('an operation is named by an id, and its fence only with it', async () => {
  const tenantId = await newTenant();
  const key = { tenantId, name: 'once', kind: account.KeyKind.LIVE, scopes: [account.Scope.READ], expiresTsMs: 0 };
  await expect(service.client.call.createKey({ ...key, operationId: '' })).rejects.toMatchObject({ faults: [{ field: 'operation_id' }] });
  await expect(service.client.call.createKey({ ...key, operationFence: 1 })).rejects.toMatchObject({
    faults: [{ field: 'operation_fence' }],
  });
});
