import type { account } from '@market-state/contracts';
import { receiptIdOf } from '@market-state/credit-leases';
import { waitUntil } from '@market-state/testing';
import { ledgerAudit } from '../src/credits/ledger-audit';
import { chargeOf, type CreditsUnderTest, NOON_MS, pricedAt, type SentBatch, startCreditsUnderTest } from './credits-under-test';

let under: CreditsUnderTest;
let call: CreditsUnderTest['client']['call'];

beforeAll(async () => {
  under = await startCreditsUnderTest();
  call = under.client.call;
});
beforeEach(() => under.setNow(NOON_MS));
afterEach(async () => expect((await ledgerAudit(under.pool, under.now())).faults).toEqual([]));
afterAll(() => under.stop());

async function leaseOf(credits: number): Promise<{ readonly tenantId: string; readonly leaseId: string }> {
  const tenantId = await under.tenantWith(credits);
  const { lease } = await call.takeLease({ tenantId, gatewayId: 'gw_1', needed: credits, wanted: credits });
  return { tenantId, leaseId: lease?.leaseId ?? '' };
}

async function spentBy(tenantId: string): Promise<number> {
  const { balances } = await call.getBalances({ tenantId });
  return balances[0]?.spentToday ?? -1;
}

async function post(sent: readonly SentBatch[]) {
  const batches = sent.map((batch) => ({ charges: [], groups: [], ...batch }));
  const { outcomes } = await call.postCharges({ batches });
  return outcomes.map(({ outcome }) => outcome);
}

const posted = (available: number, leaseLeft: number) => ({ $case: 'posted', value: { available, leaseLeft } });
const failed = (code: number, reason: string) => ({
  $case: 'failed',
  value: expect.objectContaining({ code, metadata: expect.objectContaining({ 'x-error-reason': reason }) }),
});
const ANY_RECEIPT = { receiptId: '', requestId: '', workloadFamily: '', fromTsMs: 0, toTsMs: 0, limit: 10, cursor: '' };
const FAILED_PRECONDITION = 9;
const INVALID_ARGUMENT = 3;
const UNAVAILABLE = 14;

test('batches of many leases are charged in one call, each once, and a bad one fails alone', async () => {
  const [one, other, ended, strange] = await Promise.all([leaseOf(100), leaseOf(50), leaseOf(10), leaseOf(10)] as const);
  await call.endLease({ leaseId: ended.leaseId });
  const batches = [
    { leaseId: ended.leaseId, batch: 1, charges: [chargeOf(ended.tenantId, 1)] },
    { leaseId: one.leaseId, batch: 1, charges: [chargeOf(one.tenantId, 7), chargeOf(one.tenantId, 3)] },
    { leaseId: strange.leaseId, batch: 1, charges: [chargeOf(one.tenantId, 1)] },
    { leaseId: 'lea_made_up', batch: 1, charges: [chargeOf(one.tenantId, 1)] },
    { leaseId: `${other.leaseId}`, batch: 1, charges: [chargeOf(other.tenantId, 50)] },
  ];
  const expected = [
    failed(FAILED_PRECONDITION, 'lease_over'),
    posted(0, 90),
    failed(INVALID_ARGUMENT, 'invalid_argument'),
    failed(FAILED_PRECONDITION, 'lease_over'),
    posted(0, 0),
  ];
  expect(await post(batches)).toEqual(expected);
  expect(await post(batches)).toEqual(expected);
  expect(await Promise.all([one, other, ended, strange].map(({ tenantId }) => spentBy(tenantId)))).toEqual([10, 50, 0, 0]);
});

test('what a charge leaves out is that of the one before it', async () => {
  const { tenantId, leaseId } = await leaseOf(100);
  const first = chargeOf(tenantId, 4);
  const bare = { operationId: '', requestId: 'req', status: 304, servedTsMs: NOON_MS };
  const other = { ...bare, operationId: 'op_other_key', caller: { tenantId, keyId: 'key_2', accountId: '' } };
  const dear = { ...bare, operationId: 'op_dear', priced: pricedAt(9, 0) };
  expect(await post([{ leaseId, batch: 1, charges: [first, { ...bare, operationId: 'op_bare' }, other, dear] }])).toEqual([posted(0, 79)]);
  const { receipts } = await call.listReceipts({ ...ANY_RECEIPT, tenantId });
  const reported = receipts.map(({ operationId, caller, priced, status }) => [
    operationId,
    caller?.keyId,
    priced?.observedMarketStateCredits,
    status,
  ]);
  expect(new Set(reported)).toEqual(
    new Set([
      [first.operationId, 'key_1', 4, 200],
      ['op_bare', 'key_1', 4, 304],
      ['op_other_key', 'key_2', 4, 304],
      ['op_dear', 'key_2', 9, 304],
    ]),
  );
  expect(await post([{ leaseId, batch: 2, charges: [{ ...bare, operationId: 'op_unknown' }] }])).toEqual([
    failed(INVALID_ARGUMENT, 'invalid_argument'),
  ]);
});

function groupOf(tenantId: string, credits: number, served: Readonly<Record<string, number>>): account.ChargeGroup {
  const operationIds = Object.keys(served);
  return {
    caller: { tenantId, keyId: 'key_1', accountId: '' },
    priced: pricedAt(credits, 0),
    status: 200,
    operationIds,
    requestIds: operationIds.map((id) => `req_${id}`),
    servedTsMs: Object.values(served),
  };
}

test('grouped charges get the receipts of single ones, in the order in which they were served', async () => {
  const { tenantId, leaseId } = await leaseOf(100);
  const groups = [
    groupOf(tenantId, 4, { op_first: NOON_MS, op_third: NOON_MS + 2 }),
    groupOf(tenantId, 1, { op_second: NOON_MS + 1, op_fourth: NOON_MS + 3 }),
  ];
  for (let times = 0; times < 2; times += 1) expect(await post([{ leaseId, batch: 1, groups }])).toEqual([posted(0, 90)]);
  // A charge that another release has posted by itself is not charged again.
  const known = { ...chargeOf(tenantId, 4), operationId: 'op_third' };
  expect(await post([{ leaseId, batch: 2, charges: [known], groups: [groupOf(tenantId, 2, { op_fifth: NOON_MS + 4 })] }])).toEqual([
    posted(0, 88),
  ]);
  const { receipts } = await call.listReceipts({ ...ANY_RECEIPT, tenantId });
  expect(
    receipts.map(({ operationId, requestId, priced, servedTsMs, receiptId }) => [
      operationId,
      requestId,
      priced?.observedMarketStateCredits,
      servedTsMs - NOON_MS,
      receiptId,
    ]),
  ).toEqual(
    ['fifth', 'fourth', 'third', 'second', 'first'].map((name, index) => [
      `op_${name}`,
      `req_op_${name}`,
      [2, 1, 4, 1, 4][index],
      4 - index,
      receiptIdOf(tenantId, `op_${name}`),
    ]),
  );
});

test('a malformed group fails its batch with every fault', async () => {
  const { tenantId, leaseId } = await leaseOf(100);
  const good = groupOf(tenantId, 1, { op_1: NOON_MS });
  const bad = [
    { ...good, operationIds: [], requestIds: [], servedTsMs: [] },
    { ...good, requestIds: [] },
    { ...good, operationIds: [''] },
    { ...good, caller: undefined },
    { ...good, priced: undefined },
    { ...good, priced: { ...pricedAt(1, 0), observedExportCredits: 1, estimatedExportCredits: 1 } },
    { ...good, status: 404 },
    groupOf('ten_other', 1, { op_1: NOON_MS }),
  ];
  for (const group of bad)
    expect(await post([{ leaseId, batch: 1, groups: [good, group] }])).toEqual([failed(INVALID_ARGUMENT, 'invalid_argument')]);
  expect(await spentBy(tenantId)).toBe(0);
  const many = Object.fromEntries(Array.from({ length: 2_001 }, (_unused, index) => [`op_${index}`, NOON_MS]));
  await expect(post([{ leaseId, batch: 1, groups: [groupOf(tenantId, 0, many)] }])).rejects.toMatchObject({
    faults: [{ field: 'batches', message: 'must contain at most 2000 charges, not 2001' }],
  });
});

test('a call without batches, with too many batches or charges, or with two of one lease, is refused whole', async () => {
  const { tenantId, leaseId } = await leaseOf(100);
  const batch = { leaseId, batch: 1, charges: [chargeOf(tenantId, 1)], groups: [] };
  const refused: [account.ChargeBatch[], string][] = [
    [[], 'must be 1 to 100'],
    [Array.from({ length: 101 }, (_unused, index) => ({ ...batch, leaseId: `lea_${index}` })), 'must be 1 to 100'],
    [[{ ...batch, charges: Array.from({ length: 2_001 }, () => chargeOf(tenantId, 0)) }], 'must contain at most 2000 charges, not 2001'],
    [[batch, { ...batch, batch: 2 }], 'must be for different leases'],
  ];
  for (const [batches, message] of refused) {
    await expect(call.postCharges({ batches })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      faults: [{ field: 'batches', message }],
    });
  }
  expect(await spentBy(tenantId)).toBe(0);
});

test('a locked tenant delays no other; its batch is charged once, however often it is resent', async () => {
  const [locked, free] = await Promise.all([leaseOf(100), leaseOf(100)] as const);
  const client = await under.pool.connect();
  const batches = [
    { leaseId: locked.leaseId, batch: 1, charges: [chargeOf(locked.tenantId, 5)] },
    { leaseId: free.leaseId, batch: 1, charges: [chargeOf(free.tenantId, 5)] },
  ];
  try {
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM "tenant" WHERE "id" = $1 FOR UPDATE', [locked.tenantId]);
    for (let times = 0; times < 2; times += 1)
      expect(await post(batches)).toEqual([failed(UNAVAILABLE, 'upstream_unavailable'), posted(0, 95)]);
    const { rows } = await client.query<{ waiting: number }>(
      `SELECT count(*)::int AS "waiting" FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
    );
    expect(rows).toEqual([{ waiting: 1 }]);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  await waitUntil('the batch is charged', async () => (await spentBy(locked.tenantId)) === 5);
  expect(await post(batches)).toEqual([posted(0, 95), posted(0, 95)]);
  expect(await Promise.all([locked, free].map(({ tenantId }) => spentBy(tenantId)))).toEqual([5, 5]);
});

test('work that was already charged costs nothing on any lease, and its batch is posted', async () => {
  const { tenantId, leaseId } = await leaseOf(50);
  const charge = chargeOf(tenantId, 5);
  expect(await post([{ leaseId, batch: 1, charges: [charge] }])).toEqual([posted(0, 45)]);
  expect(await post([{ leaseId, batch: 2, charges: [charge] }])).toEqual([posted(0, 45)]);
  await call.endLease({ leaseId });
  // The first poster crashed before it knew; another charges the same work, with other work and a higher price.
  const { lease } = await call.takeLease({ tenantId, gatewayId: 'gw_2', needed: 2, wanted: 2 });
  const again = { ...charge, priced: pricedAt(9, 0), servedTsMs: NOON_MS + 1 };
  const batch = { leaseId: lease?.leaseId ?? '', batch: 1, charges: [again, chargeOf(tenantId, 2), again] };
  for (let times = 0; times < 2; times += 1) expect(await post([batch])).toEqual([posted(43, 0)]);
  expect(await spentBy(tenantId)).toBe(7);
});

test('what is done for a tenant without a call of it is charged, and its receipt and usage name neither key nor account', async () => {
  const { tenantId, leaseId } = await leaseOf(10);
  const delivery: account.Charge = {
    ...chargeOf(tenantId, 1, 'del_1'),
    requestId: '',
    caller: { tenantId, keyId: '', accountId: '' },
    priced: { ...pricedAt(1, 0), method: 'POST', route: 'webhook delivery', workloadFamily: 'workflow_automation' },
  };
  expect(await post([{ leaseId, batch: 1, charges: [delivery, chargeOf(tenantId, 1)] }])).toEqual([posted(0, 8)]);
  const requested = { tenantId, receiptId: '', requestId: '', fromTsMs: 0, toTsMs: 0, limit: 10, cursor: '' };
  const { receipts } = await call.listReceipts({ ...requested, workloadFamily: 'workflow_automation' });
  expect(receipts).toMatchObject([{ operationId: 'del_1', requestId: '', caller: { tenantId, keyId: '', accountId: '' }, status: 200 }]);
  const dayMs = NOON_MS - 43_200_000;
  const { rows } = await call.getUsage({ tenantId, fromTsMs: dayMs, toTsMs: NOON_MS, workloadFamily: 'workflow_automation' });
  expect(rows).toMatchObject([{ route: 'webhook delivery', keyId: '', accountId: '', calls: 1, marketStateCredits: 1 }]);
  const both = { ...delivery, operationId: 'del_2', caller: { tenantId, keyId: 'key_1', accountId: 'acc_1' } };
  expect(await post([{ leaseId, batch: 2, charges: [both] }])).toEqual([failed(INVALID_ARGUMENT, 'invalid_argument')]);
});
