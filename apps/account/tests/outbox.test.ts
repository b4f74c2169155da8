import { account } from '@market-state/contracts';
import { createClient, type GrpcClient } from '@market-state/grpc';
import { patientPeer } from '@market-state/testing';
import { type CreditCalls, testCredits } from './credit-calls';
import { chargeOf, type CreditsUnderTest, NOON_MS, postBatch, pricedAt } from './credits-under-test';

let under: CreditsUnderTest;
let calls: CreditCalls;
let client: GrpcClient<account.OutboxServiceService>;
testCredits((service, made) => {
  under = service;
  calls = made;
  client = createClient({ definition: account.OutboxServiceService, ...patientPeer('account'), address: service.service.server.address });
});
beforeEach(() => under.pool.query('DELETE FROM outbox'));
afterAll(() => client.close());

const list = async (pageSize = 1_000): Promise<account.OutboxEntry[]> => (await client.call.listOutbox({ pageSize })).entries;
const bodyOf = ({ payload }: account.OutboxEntry): unknown => JSON.parse(payload.toString());

/** Writes an event as the ledger does, on a connection that may commit later. */
const WRITE = `INSERT INTO outbox (tenant_id, kind, occasion, payload, created_at) VALUES ($1, 'k', $2, '{"n":1}', $3)`;

test('an event that is committed late is listed, though others after it were taken', async () => {
  const tenantId = await under.tenantWith(1);
  const late = await under.pool.connect();
  try {
    await late.query('BEGIN');
    await late.query(WRITE, [tenantId, 'late', new Date(NOON_MS)]);
    await under.pool.query(WRITE, [tenantId, 'early', new Date(NOON_MS)]);
    const first = await list();
    expect(first.map(({ occasion }) => occasion)).toEqual(['early']);
    await client.call.ackOutbox({ ids: first.map(({ id }) => id) });
    await late.query('COMMIT');
    expect(await list()).toMatchObject([{ tenantId, kind: 'k', occasion: 'late', createdTsMs: NOON_MS }]);
  } finally {
    late.release();
  }
});

test('what is not acknowledged is listed again, oldest first; an acknowledgement again changes nothing', async () => {
  const tenantId = await under.tenantWith(1);
  for (const occasion of ['a', 'b', 'c']) await under.pool.query(WRITE, [tenantId, occasion, new Date(NOON_MS)]);
  const page = await list(2);
  expect(page.map(({ occasion }) => occasion)).toEqual(['a', 'b']);
  expect(await list(2)).toEqual(page);
  const ids = page.map(({ id }) => id);
  for (let times = 0; times < 2; times += 1) {
    await client.call.ackOutbox({ ids: [...ids, '999999999'] });
    under.setNow(NOON_MS + 60_000);
  }
  expect((await list(2)).map(({ occasion }) => occasion)).toEqual(['c']);
  const { rows } = await under.pool.query<{ taken_at: Date }>('SELECT taken_at FROM outbox WHERE taken_at IS NOT NULL');
  expect(rows).toHaveLength(2);
  for (const row of rows) expect(row.taken_at.getTime() - NOON_MS).toBeLessThan(60_000);
});

test('a bad page size and ids that are none are refused', async () => {
  for (const pageSize of [0, 1_001])
    await expect(client.call.listOutbox({ pageSize })).rejects.toMatchObject({ faults: [{ field: 'page_size' }] });
  await expect(client.call.ackOutbox({ ids: [] })).rejects.toMatchObject({ faults: [{ field: 'ids' }] });
  await expect(client.call.ackOutbox({ ids: ['1', 'x', '-1'] })).rejects.toMatchObject({
    faults: [{ field: 'ids[1]' }, { field: 'ids[2]' }],
  });
});

test('each cap reports 80 and 100 percent once per period, with its reset time', async () => {
  const tenantId = await under.tenantWith(1_000, 100);
  const { call } = under.client;
  await call.setSpendControls({ tenantId, controls: { dailyCreditCap: 50, exportCreditCap: 10 } });
  const { leaseId } = await calls.take(tenantId, 45);
  await postBatch(call, { leaseId, batch: 1, charges: [chargeOf(tenantId, 39)] });
  expect(await list()).toEqual([]);
  await postBatch(call, { leaseId, batch: 2, charges: [chargeOf(tenantId, 2)] });
  await call.reserve({
    operationId: 'op_export_of_cap',
    caller: { tenantId, keyId: 'key_1', accountId: '' },
    requestId: 'req_1',
    priced: { ...pricedAt(0, 10), observedExportCredits: 0 },
    expiresTsMs: NOON_MS + 600_000,
  });
  await call.settle({ operationId: 'op_export_of_cap', observedMarketStateCredits: 0, observedExportCredits: 10, artifactIds: [] });
  await call.setSpendControls({ tenantId, controls: { dailyCreditCap: 50, exportCreditCap: 10 } });
  const daily = {
    control: 'daily_credit_cap',
    credit_kind: 'market_state',
    percent: 80,
    limit: 50,
    used: 41,
    period_from_utc: '2027-01-15T00:00:00.000Z',
    resets_at_utc: '2027-01-16T00:00:00.000Z',
  };
  const exported = {
    control: 'export_credit_cap',
    credit_kind: 'export',
    limit: 10,
    used: 10,
    period_from_utc: '2027-01-01T00:00:00.000Z',
    resets_at_utc: '2027-02-01T00:00:00.000Z',
  };
  expect((await list()).map(bodyOf)).toEqual([daily, { ...exported, percent: 80 }, { ...exported, percent: 100 }]);
});

test('credits of a trial report what is used, without a reset time', async () => {
  const tenantId = await under.tenantWith(0);
  await under.pool.query(
    `UPDATE tenant SET plan_id = 'trial', renewal = 'monthly', billing_anchor = $2, plan_until = $3, own_market_state_credits = 10 WHERE id = $1`,
    [tenantId, new Date(NOON_MS - 1), new Date(NOON_MS)],
  );
  const { leaseId } = await calls.take(tenantId, 8);
  await postBatch(under.client.call, { leaseId, batch: 1, charges: [chargeOf(tenantId, 8)] });
  expect((await list()).map(bodyOf)).toMatchObject([{ control: 'plan_credits', percent: 80, limit: 10, used: 8, resets_at_utc: null }]);
});
