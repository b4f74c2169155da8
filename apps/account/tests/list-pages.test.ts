import { account } from '@market-state/contracts';
import { createClient, type GrpcClient } from '@market-state/grpc';
import { chargeOf, type CreditsUnderTest, postBatch, startCreditsUnderTest } from './credits-under-test';
import { patientPeer } from '@market-state/testing';

/** Row ids of a page, newest first, and its cursor. */
interface Page {
  readonly ids: readonly string[];
  readonly nextCursor: string;
}
type Read = (tenantId: string, limit: number, cursor: string) => Promise<Page>;

let under: CreditsUnderTest;
let billing: GrpcClient<account.BillingServiceService>;
let operator: GrpcClient<account.OperatorServiceService>;
let own: string;
let other: string;

const lists: Readonly<Record<string, Read>> = {
  async keys(tenantId, limit, cursor) {
    const { keys, nextCursor } = await under.service.client.call.listKeys({ tenantId, limit, cursor });
    return { ids: keys.map(({ keyId }) => keyId), nextCursor };
  },
  async invoices(tenantId, limit, cursor) {
    const { invoices, nextCursor } = await billing.call.listInvoices({ tenantId, limit, cursor });
    return { ids: invoices.map(({ invoiceId }) => invoiceId), nextCursor };
  },
  async orders(tenantId, limit, cursor) {
    const { orders, nextCursor } = await billing.call.listTenantOrders({ tenantId, limit, cursor });
    return { ids: orders.map(({ orderId }) => orderId), nextCursor };
  },
  async receipts(tenantId, limit, cursor) {
    const filter = { receiptId: '', requestId: '', workloadFamily: '', fromTsMs: 0, toTsMs: 0 };
    const { receipts, nextCursor } = await under.client.call.listReceipts({ tenantId, ...filter, limit, cursor });
    return { ids: receipts.map(({ receiptId }) => receiptId), nextCursor };
  },
};
const EACH = Object.entries(lists);

beforeAll(async () => {
  under = await startCreditsUnderTest();
  const address = under.service.server.address;
  billing = createClient({ definition: account.BillingServiceService, ...patientPeer('account'), address });
  operator = createClient({ definition: account.OperatorServiceService, ...patientPeer('account'), address });
  [own, other] = [await fill(), await fill()];
});
afterAll(async () => {
  await Promise.all([billing.close(), operator.close()]);
  await under.stop();
});

/** A tenant with five rows in every list. */
async function fill(): Promise<string> {
  const tenantId = await under.tenantWith(100);
  const { leaseId } = (await under.client.call.takeLease({ tenantId, gatewayId: 'gw_1', needed: 50, wanted: 50 })).lease ?? { leaseId: '' };
  await postBatch(under.client.call, { leaseId, batch: 1, charges: Array.from({ length: 5 }, () => chargeOf(tenantId, 1)) });
  for (let at = 0; at < 5; at += 1) {
    await under.service.client.call.createKey({
      tenantId,
      name: `key ${at}`,
      kind: account.KeyKind.LIVE,
      scopes: [account.Scope.READ],
      expiresTsMs: 0,
    });
    const { order } = await billing.call.createCheckout({
      tenantId,
      accountId: '',
      planId: 'topup',
      billingInterval: 'month',
      references: {},
    });
    await operator.call.approveOrder({ orderId: order?.orderId ?? '' });
  }
  return tenantId;
}

const refused = { code: 'INVALID_ARGUMENT', faults: [{ field: 'cursor' }] };

test.each(EACH)('pages of %s by one row each are the whole list', async (_name, read) => {
  const seen: string[] = [];
  let cursor = '';
  do {
    const page = await read(own, 1, cursor);
    seen.push(...page.ids);
    cursor = page.nextCursor;
  } while (cursor !== '' && seen.length < 10);
  const whole = await read(own, 100, '');
  expect(seen).toEqual(whole.ids);
  expect(whole).toMatchObject({ ids: { length: 5 }, nextCursor: '' });
});

test.each(EACH)('a cursor of %s that another tenant was given is refused', async (_name, read) => {
  const { nextCursor } = await read(other, 2, '');
  await expect(read(own, 2, nextCursor)).rejects.toMatchObject(refused);
});

test.each(EACH)('a cursor of another list, a changed one and a made-up one are refused by %s', async (name, read) => {
  const others = await Promise.all(EACH.filter(([of]) => of !== name).map(async ([, list]) => (await list(own, 2, '')).nextCursor));
  const { nextCursor } = await read(own, 2, '');
  const bad = [...others, nextCursor.slice(0, -4), `${nextCursor}AAAA`, 'x', Buffer.from('12').toString('base64url')];
  for (const cursor of bad) await expect(read(own, 2, cursor)).rejects.toMatchObject(refused);
});

test.each(EACH)('a cursor of %s shows a time and an id of the row, and no number that counts rows', async (_name, read) => {
  const { ids, nextCursor } = await read(own, 2, '');
  expect(JSON.parse(Buffer.from(nextCursor, 'base64url').toString())).toEqual([
    expect.stringMatching(/^[a-z]1$/),
    expect.any(Number),
    ids.at(-1),
  ]);
  const [, atMs] = JSON.parse(Buffer.from(nextCursor, 'base64url').toString()) as [string, number, string];
  expect(atMs).toBeGreaterThan(Date.UTC(2026, 0));
});
