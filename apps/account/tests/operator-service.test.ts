import { account } from '@market-state/contracts';
import { createClient, type GrpcClient } from '@market-state/grpc';
import { secretDigest } from '@market-state/credentials';
import { patientPeer, testPeer } from '@market-state/testing';
import { type AccountUnderTest, orderFor, startAccountUnderTest } from './account-under-test';

let service: AccountUnderTest;
let operator: GrpcClient<account.OperatorServiceService>;
let people: GrpcClient<account.AccountServiceService>;
beforeAll(async () => {
  service = await startAccountUnderTest();
  operator = createClient({
    definition: account.OperatorServiceService,
    peer: testPeer('account'),
    address: service.server.address,
    deadlineMs: 10_000,
  });
  people = createClient({ definition: account.AccountServiceService, ...patientPeer('account'), address: service.server.address });
});
afterAll(async () => {
  await operator.close();
  await people.close();
  await service.stop();
});

async function ensure(name: string, part: Partial<account.EnsureTenantRequest> = {}): Promise<account.OperatorTenant> {
  const { tenant } = await operator.call.ensureTenant({ name, planId: '', renewal: account.Renewal.UNSPECIFIED, ...part });
  if (tenant === undefined) throw new Error('no tenant');
  return tenant;
}

const pro = { planId: 'public_pro', renewal: account.Renewal.DAILY };

describe('EnsureTenant', () => {
  test('makes a tenant with the credits of a first period, once however often it is asked and by how many', async () => {
    const made = await Promise.all(Array.from({ length: 10 }, () => ensure('demo', pro)));
    expect(new Set(made.map(({ tenantId }) => tenantId)).size).toBe(1);
    expect(await ensure('demo', pro)).toMatchObject({
      name: 'demo',
      ...pro,
      disabled: false,
      marketStateAvailable: 1_000_000,
      exportAvailable: 5_000,
    });
  });

  test('the database takes every plan, one that is added to the file too', async () => {
    await ensure('new plan');
    await service.sql(`UPDATE tenant SET plan_id = 'public_gold' WHERE name = 'new plan'`);
    expect(await ensure('new plan')).toMatchObject({ planId: 'public_gold' });
    await service.sql(`UPDATE tenant SET plan_id = NULL WHERE name = 'new plan'`);
  });

  test('without a plan leaves the plan as it is', async () => {
    expect(await ensure('bare')).toMatchObject({ planId: '', marketStateAvailable: 0 });
    await ensure('kept', pro);
    expect(await ensure('kept')).toMatchObject(pro);
  });

  test('sets another plan, and gives a plan by contract the credits that it names', async () => {
    await ensure('moved', pro);
    const contract = { planId: 'enterprise', renewal: account.Renewal.MONTHLY, marketStateCredits: 7_000_000, exportCredits: 9 };
    expect(await ensure('moved', contract)).toMatchObject({
      planId: 'enterprise',
      renewal: account.Renewal.MONTHLY,
      marketStateAvailable: 8_000_000,
      exportAvailable: 5_009,
    });
  });

  test('names every bad field at once', async () => {
    await expect(ensure('', { planId: 'public_gold' })).rejects.toMatchObject({
      faults: [{ field: 'name' }, { field: 'plan_id' }, { field: 'renewal' }],
    });
    await expect(ensure('x', { planId: 'enterprise', renewal: account.Renewal.MONTHLY })).rejects.toMatchObject({
      faults: [{ field: 'market_state_credits' }],
    });
    await expect(ensure('x', { planId: 'trial', renewal: account.Renewal.DAILY })).rejects.toMatchObject({
      faults: [{ field: 'renewal' }],
    });
    await expect(ensure('x', { marketStateCredits: 1 })).rejects.toMatchObject({ faults: [{ field: 'plan_id' }] });
  });
});

test('tenants are listed oldest first, page by page, each once', async () => {
  for (const name of ['page-a', 'page-b', 'page-c']) await ensure(name);
  const names: string[] = [];
  let cursor = '';
  do {
    const page = await operator.call.listTenants({ limit: 2, cursor });
    expect(page.tenants.length).toBeLessThanOrEqual(2);
    names.push(...page.tenants.map(({ name }) => name));
    cursor = page.nextCursor;
  } while (cursor !== '');
  const { tenants } = await operator.call.listTenants({ limit: 1_000, cursor: '' });
  expect(names).toEqual(tenants.map(({ name }) => name));
  expect(names.slice(-3)).toEqual(['page-a', 'page-b', 'page-c']);
  await expect(operator.call.listTenants({ limit: 0, cursor: 'x' })).rejects.toMatchObject({
    faults: [{ field: 'limit' }, { field: 'cursor' }],
  });
});

test('credits are granted in addition to the plan until they expire', async () => {
  const { tenantId } = await ensure('given', pro);
  const gift = {
    tenantId,
    marketStateCredits: 500,
    exportCredits: 3,
    expiresTsMs: Date.now() + service.clock.aheadMs + 60_000,
    note: 'for the outage',
  };
  expect(await operator.call.grantCredits(gift)).toEqual({ marketStateAvailable: 1_000_500, exportAvailable: 5_003 });
  service.clock.aheadMs += 60_000;
  expect(await operator.call.grantCredits({ ...gift, marketStateCredits: 1, exportCredits: 0, expiresTsMs: 0 })).toEqual({
    marketStateAvailable: 1_000_001,
    exportAvailable: 5_000,
  });
  await expect(
    operator.call.grantCredits({ ...gift, marketStateCredits: 0, exportCredits: 0, expiresTsMs: 1, note: '' }),
  ).rejects.toMatchObject({
    faults: [{ field: 'market_state_credits' }, { field: 'expires_ts_ms' }, { field: 'note' }],
  });
  await expect(operator.call.grantCredits({ ...gift, expiresTsMs: 0, tenantId: 'ten_none' })).rejects.toMatchObject({
    reason: 'unknown_tenant',
  });
});

test('a disabled tenant’s keys open nothing until it is enabled again', async () => {
  const { tenantId } = await ensure('disabled', pro);
  const { key } = await service.client.call.issueKey(orderFor('disabled'));
  expect(await service.verify(key)).toBeDefined();
  expect((await operator.call.setTenantDisabled({ tenantId, disabled: true })).tenant?.disabled).toBe(true);
  expect(await service.verify(key)).toBeUndefined();
  expect(await people.call.getTenantStanding({ tenantId })).toEqual({ disabled: true });
  await operator.call.setTenantDisabled({ tenantId, disabled: false });
  expect(await people.call.getTenantStanding({ tenantId })).toEqual({ disabled: false });
  await expect(people.call.getTenantStanding({ tenantId: 'ten_none' })).rejects.toMatchObject({ reason: 'unknown_tenant' });
  expect(await service.verify(key)).toBeDefined();
  await expect(operator.call.setTenantDisabled({ tenantId: 'ten_none', disabled: true })).rejects.toMatchObject({
    reason: 'unknown_tenant',
  });
});

test('a claim token is kept as its digest alone, for 24 h', async () => {
  const { tenantId } = await ensure('claimable');
  const { claimToken, expiresTsMs } = await operator.call.createClaimToken({ tenantId });
  const rows = await service.sql<{ digest: Buffer; tenant_id: string }>('SELECT digest, tenant_id FROM claim_token');
  expect(rows).toEqual([{ digest: secretDigest(claimToken), tenant_id: tenantId }]);
  expect(Math.abs(expiresTsMs - Date.now() - service.clock.aheadMs - 86_400_000)).toBeLessThan(10_000);
  expect(service.lines.join('')).not.toContain(claimToken);
  await expect(operator.call.createClaimToken({ tenantId: 'ten_none' })).rejects.toMatchObject({ reason: 'unknown_tenant' });
});

test('the audit finds nothing in a good ledger, and says with both figures what is kept otherwise', async () => {
  const { tenantId } = await ensure('audited', pro);
  const all = await operator.call.auditLedger({ tenantId: '' });
  expect(all).toMatchObject({ faults: [] });
  expect(all.tenants).toBeGreaterThan(5);
  expect(await operator.call.auditLedger({ tenantId })).toEqual({ tenants: 1, postings: 1, entries: 4, faults: [] });
  await service.sql(`UPDATE credit_grant SET "left" = "left" - 1 WHERE tenant_id = $1 AND kind = 'export'`, [tenantId]);
  const { faults } = await operator.call.auditLedger({ tenantId });
  expect(faults).toEqual([{ tenantId, message: expect.stringMatching(/4999 export credits left as kept, 5000 by the entries/) as string }]);
  await service.sql(`UPDATE credit_grant SET "left" = "left" + 1 WHERE tenant_id = $1 AND kind = 'export'`, [tenantId]);
  await expect(operator.call.auditLedger({ tenantId: 'ten_none' })).rejects.toMatchObject({ reason: 'unknown_tenant' });
});
