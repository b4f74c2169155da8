import { account } from '@market-state/contracts';
import { createClient, type GrpcClient } from '@market-state/grpc';
import { testPeer } from '@market-state/testing';
import { type AccountUnderTest, startAccountUnderTest } from './account-under-test';

let service: AccountUnderTest;
let billing: GrpcClient<account.BillingServiceService>;
let operator: GrpcClient<account.OperatorServiceService>;
beforeAll(async () => {
  service = await startAccountUnderTest();
  billing = createClient({
    definition: account.BillingServiceService,
    peer: testPeer('account'),
    address: service.server.address,
    deadlineMs: 10_000,
  });
  operator = createClient({
    definition: account.OperatorServiceService,
    peer: testPeer('account'),
    address: service.server.address,
    deadlineMs: 10_000,
  });
});
afterAll(async () => {
  await Promise.all([billing.close(), operator.close()]);
  await service.stop();
});

async function tenantOf(name: string): Promise<account.OperatorTenant> {
  const { tenant } = await operator.call.ensureTenant({ name, planId: '', renewal: account.Renewal.UNSPECIFIED });
  if (tenant === undefined) throw new Error('no tenant');
  return tenant;
}

async function order(tenantId: string, planId: string, billingInterval = 'month'): Promise<account.Order> {
  const response = await billing.call.createCheckout({ tenantId, accountId: '', planId, billingInterval, references: {} });
  if (response.order === undefined) throw new Error('no order');
  return response.order;
}

test('an order waits, unpaid, until it is approved; then its plan runs for its interval, and the invoice says approved', async () => {
  const { tenantId } = await tenantOf('yearly');
  const made = await order(tenantId, 'public_builder', 'year');
  expect(made).toMatchObject({
    provider: 'offline',
    status: 'open',
    amountCents: 49_000,
    checkoutUrl: `/billing?order=${made.orderId}`,
    expiresTsMs: 0,
  });
  expect(await tenantOf('yearly')).toMatchObject({ planId: '', marketStateAvailable: 0 });
  expect(await operator.call.approveOrder({ orderId: made.orderId })).toEqual({ tenantId, planId: 'public_builder', fulfilledNow: true });
  expect(await tenantOf('yearly')).toMatchObject({
    planId: 'public_builder',
    renewal: account.Renewal.MONTHLY,
    marketStateAvailable: 100_000,
    exportAvailable: 500,
  });
  const [months] = await service.sql(`SELECT age(plan_until, billing_anchor) = interval '1 year' AS is_a_year FROM tenant WHERE id = $1`, [
    tenantId,
  ]);
  expect(months).toEqual({ is_a_year: true });
  const { invoices } = await billing.call.listInvoices({ tenantId, limit: 10, cursor: '' });
  expect(invoices).toMatchObject([
    { orderId: made.orderId, provider: 'offline', status: 'approved', amountCents: 49_000, billingInterval: 'year', documentUrl: '' },
  ]);
});

test('twenty approvals at once fulfil once', async () => {
  const { tenantId } = await tenantOf('at-once');
  const { orderId } = await order(tenantId, 'topup');
  const approvals = await Promise.all(Array.from({ length: 20 }, () => operator.call.approveOrder({ orderId })));
  expect(approvals.filter(({ fulfilledNow }) => fulfilledNow)).toHaveLength(1);
  expect(await tenantOf('at-once')).toMatchObject({ marketStateAvailable: 100_000, exportAvailable: 500 });
  expect((await billing.call.listInvoices({ tenantId, limit: 10, cursor: '' })).invoices).toHaveLength(1);
});

test('orders approved at once give each their part, and invoices come newest first, page by page', async () => {
  const { tenantId } = await tenantOf('many');
  const orders = await Promise.all(Array.from({ length: 5 }, () => order(tenantId, 'topup')));
  await Promise.all(orders.map(({ orderId }) => operator.call.approveOrder({ orderId })));
  expect(await tenantOf('many')).toMatchObject({ marketStateAvailable: 500_000 });
  const seen: account.Invoice[] = [];
  let cursor = '';
  do {
    const page = await billing.call.listInvoices({ tenantId, limit: 2, cursor });
    seen.push(...page.invoices);
    cursor = page.nextCursor;
  } while (cursor !== '');
  expect(new Set(seen.map(({ orderId }) => orderId))).toEqual(new Set(orders.map(({ orderId }) => orderId)));
  expect(seen.map(({ createdTsMs }) => createdTsMs)).toEqual(seen.map(({ createdTsMs }) => createdTsMs).sort((one, other) => other - one));
  expect(seen).toHaveLength(5);
  await expect(billing.call.listInvoices({ tenantId, limit: 1_001, cursor: '!' })).rejects.toMatchObject({
    faults: [{ field: 'limit' }, { field: 'cursor' }],
  });
});

test('invoices of one tenant are not another’s', async () => {
  const { tenantId } = await tenantOf('stranger');
  expect(await billing.call.listInvoices({ tenantId, limit: 10, cursor: '' })).toEqual({ invoices: [], nextCursor: '' });
});

test('an order that is not there, or not open, is refused', async () => {
  const { tenantId } = await tenantOf('refused');
  for (const orderId of ['', 'ord_none', "'", 'ord_\u0000'])
    await expect(operator.call.approveOrder({ orderId })).rejects.toMatchObject({ code: 'NOT_FOUND', reason: 'unknown_order' });
  const { orderId } = await order(tenantId, 'topup');
  await service.sql(`UPDATE billing_order SET status = 'cancelled' WHERE id = $1`, [orderId]);
  await expect(operator.call.approveOrder({ orderId })).rejects.toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'order_not_open' });
});

test('the portal is a path, return addresses still follow the rules, and no events are expected', async () => {
  const { tenantId } = await tenantOf('portal');
  expect(await billing.call.openPortal({ tenantId, returnUrl: 'https://app.market-state.example/x' })).toEqual({
    provider: 'offline',
    portalUrl: '/billing',
  });
  await expect(billing.call.openPortal({ tenantId, returnUrl: 'https://evil.example' })).rejects.toMatchObject({
    faults: [{ field: 'return_url' }],
  });
  await expect(billing.call.openPortal({ tenantId: 'ten_none', returnUrl: '' })).rejects.toMatchObject({ reason: 'unknown_tenant' });
  await expect(billing.call.receiveEvent({ body: Buffer.from('{}'), signature: 't=1,v1=00' })).rejects.toMatchObject({
    reason: 'billing_events_not_expected',
  });
});

describe('ListOrders', () => {
  const pageOf = (part: Partial<account.ListOrdersRequest>): Promise<account.ListOrdersResponse> =>
    operator.call.listOrders({ tenantId: '', status: '', limit: 100, cursor: '', ...part });

  test('names orders of one tenant or all, by status, oldest first, with the tenant and when they were fulfilled', async () => {
    const [one, other] = [await tenantOf('ordering'), await tenantOf('ordering too')];
    const made = [
      await order(one.tenantId, 'topup'),
      await order(one.tenantId, 'public_pro', 'year'),
      await order(other.tenantId, 'topup'),
    ];
    await operator.call.approveOrder({ orderId: made[0]?.orderId ?? '' });
    const { orders } = await pageOf({ tenantId: one.tenantId });
    expect(orders).toMatchObject([
      {
        tenantId: one.tenantId,
        tenantName: 'ordering',
        order: { orderId: made[0]?.orderId, status: 'fulfilled', planId: 'topup', billingInterval: '', amountCents: 3_900 },
      },
      { tenantId: one.tenantId, tenantName: 'ordering', order: { ...made[1], status: 'open' }, fulfilledTsMs: 0 },
    ]);
    expect(Math.abs((orders[0]?.fulfilledTsMs ?? 0) - Date.now())).toBeLessThan(60_000);
    expect((await pageOf({ tenantId: one.tenantId, status: 'open' })).orders.map(({ order: listed }) => listed?.orderId)).toEqual([
      made[1]?.orderId,
    ]);
    const open = (await pageOf({ status: 'open' })).orders.map(({ order: listed }) => listed?.orderId);
    expect(open.slice(-2)).toEqual([made[1]?.orderId, made[2]?.orderId]);
    expect(await pageOf({ tenantId: one.tenantId, status: 'expired' })).toEqual({ orders: [], nextCursor: '' });
  });

  test('gives each order once, page by page', async () => {
    const { tenantId } = await tenantOf('paging orders');
    const made = await Promise.all(Array.from({ length: 5 }, () => order(tenantId, 'topup')));
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await pageOf({ tenantId, limit: 2, cursor });
      seen.push(...page.orders.map(({ order: listed }) => listed?.orderId ?? ''));
      cursor = page.nextCursor;
    } while (cursor !== '');
    expect(seen.sort()).toEqual(made.map(({ orderId }) => orderId).sort());
  });

  test('names every bad field at once, and a tenant that there is not', async () => {
    await expect(pageOf({ tenantId: 'a\u0000b', status: 'paid', limit: 0, cursor: '!' })).rejects.toMatchObject({
      faults: [{ field: 'tenant_id' }, { field: 'status' }, { field: 'limit' }, { field: 'cursor' }],
    });
    await expect(pageOf({ tenantId: 'ten_none' })).rejects.toMatchObject({ code: 'NOT_FOUND', reason: 'unknown_tenant' });
  });
});
