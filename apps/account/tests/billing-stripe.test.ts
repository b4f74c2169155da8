import { account } from '@market-state/contracts';
import { createClient, type GrpcClient } from '@market-state/grpc';
import { testPeer } from '@market-state/testing';
import { type AccountUnderTest, startAccountUnderTest } from './account-under-test';
import { type StandInStripe, startStandInStripe, type StripeCall } from './stand-in-stripe';
import { stripeEvents } from './stripe-events';

const SECRET_KEY = 'sk_test_canary_of_the_secret_key_0123456789';
const DAY_MS = 86_400_000;

let stripe: StandInStripe;
let service: AccountUnderTest;
let billing: GrpcClient<account.BillingServiceService>;
let operator: GrpcClient<account.OperatorServiceService>;

beforeAll(async () => {
  stripe = await startStandInStripe();
  const settings = { secretKey: SECRET_KEY, webhookSecret: stripe.webhookSecret, apiBase: new URL(stripe.url) };
  service = await startAccountUnderTest({
    config: { billing: { stripe: settings, allowedOrigins: ['https://app.market-state.example'] } },
  });
  billing = createClient({
    definition: account.BillingServiceService,
    peer: testPeer('account'),
    address: service.server.address,
    deadlineMs: 20_000,
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
  await stripe.close();
});

let tenants = 0;
async function newTenant(): Promise<string> {
  tenants += 1;
  const { tenant } = await operator.call.ensureTenant({ name: `buyer-${tenants}`, planId: '', renewal: account.Renewal.UNSPECIFIED });
  return tenant?.tenantId ?? '';
}

async function overview(tenantId: string): Promise<account.OperatorTenant | undefined> {
  const { tenants: all } = await operator.call.listTenants({ limit: 1_000, cursor: '' });
  return all.find((tenant) => tenant.tenantId === tenantId);
}

async function order(tenantId: string, planId: string, billingInterval = 'month'): Promise<account.Order> {
  const response = await billing.call.createCheckout({ tenantId, accountId: '', planId, billingInterval, references: {} });
  if (response.order === undefined) throw new Error('no order');
  return response.order;
}

const nowMs = (): number => Date.now() + service.clock.aheadMs;
const nowS = (): number => Math.floor(nowMs() / 1_000);
const tell = (event: object): Promise<account.ReceiveEventResponse> => billing.call.receiveEvent(stripe.sign(event, nowMs()));
const invoicesOf = async (tenantId: string): Promise<account.Invoice[]> =>
  (await billing.call.listInvoices({ tenantId, limit: 100, cursor: '' })).invoices;
const callsTo = (path: string): StripeCall[] => stripe.calls.filter((call) => call.path === path);

describe('a checkout', () => {
  test('of a plan is a hosted session in mode subscription, with the price of the plan', async () => {
    const tenantId = await newTenant();
    const made = await billing.call.createCheckout({
      tenantId,
      accountId: 'acc_1',
      planId: 'public_pro',
      billingInterval: 'year',
      references: { contact_reference: 'c-1' },
    });
    expect(made.order).toMatchObject({
      provider: 'stripe',
      status: 'open',
      planId: 'public_pro',
      billingInterval: 'year',
      amountCents: 199_000,
      expiresTsMs: 1_900_000_000_000,
    });
    expect(made.order?.checkoutUrl).toMatch(/^https:\/\/checkout\.stripe\.example\/cs_/);
    const orderId = made.order?.orderId ?? '';
    const call = callsTo('/v1/checkout/sessions').at(-1);
    expect(call).toMatchObject({ authorization: `Bearer ${SECRET_KEY}`, idempotencyKey: `checkout-${orderId}` });
    expect(call?.form).toEqual({
      mode: 'subscription',
      customer: expect.stringMatching(/^cus_/) as string,
      client_reference_id: orderId,
      'metadata[order_id]': orderId,
      'metadata[tenant_id]': tenantId,
      'subscription_data[metadata][order_id]': orderId,
      'subscription_data[metadata][tenant_id]': tenantId,
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': 'usd',
      'line_items[0][price_data][unit_amount]': '199000',
      'line_items[0][price_data][product_data][name]': 'Market-State Data API Pro',
      'line_items[0][price_data][recurring][interval]': 'year',
      success_url: `https://market-state.example/portal/billing?order=${orderId}&checkout=done`,
      cancel_url: `https://market-state.example/portal/billing?order=${orderId}&checkout=cancelled`,
    });
    expect(await service.sql('SELECT account_id, caller_references FROM billing_order WHERE id = $1', [orderId])).toEqual([
      { account_id: 'acc_1', caller_references: { contact_reference: 'c-1' } },
    ]);
  });

  test('of a top-up is paid once; a tenant is one customer, also when it asks twice at once', async () => {
    const tenantId = await newTenant();
    const before = new Set(callsTo('/v1/customers').map(({ idempotencyKey }) => idempotencyKey));
    await Promise.all([order(tenantId, 'topup'), order(tenantId, 'topup')]);
    await billing.call.openPortal({ tenantId, returnUrl: '/back' });
    const sessions = callsTo('/v1/checkout/sessions').slice(-2);
    expect(sessions.map(({ form }) => form['mode'])).toEqual(['payment', 'payment']);
    const portal = callsTo('/v1/billing_portal/sessions').at(-1)?.form;
    expect(new Set([...sessions.map(({ form }) => form['customer']), portal?.['customer']]).size).toBe(1);
    expect(portal?.['return_url']).toBe('https://market-state.example/back');
    expect(
      callsTo('/v1/customers')
        .filter(({ idempotencyKey }) => !before.has(idempotencyKey))
        .every(({ idempotencyKey }) => idempotencyKey === `customer-${tenantId}`),
    ).toBe(true);
  });

  test('is opened although the provider fails twice, under one idempotency key; refused when it goes on failing', async () => {
    const tenantId = await newTenant();
    await billing.call.openPortal({ tenantId, returnUrl: '' });
    stripe.failures.push(500, 0);
    const { orderId } = await order(tenantId, 'topup');
    expect(
      callsTo('/v1/checkout/sessions')
        .slice(-3)
        .map(({ idempotencyKey }) => idempotencyKey),
    ).toEqual(Array(3).fill(`checkout-${orderId}`));
    stripe.failures.push(500, 500, 500);
    await expect(order(tenantId, 'topup')).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'billing_provider_unavailable' });
    stripe.failures.push(401);
    await expect(order(tenantId, 'topup')).rejects.toMatchObject({ reason: 'billing_provider_unavailable' });
    expect(service.lines.join('')).not.toContain('canary_of_the_secret_key');
  });

  test('names every bad field at once', async () => {
    const tenantId = await newTenant();
    const bad = {
      tenantId,
      accountId: '',
      planId: 'enterprise',
      billingInterval: 'week',
      references: { contact_reference: 'x'.repeat(256), other: 'a\u0000' },
    };
    await expect(billing.call.createCheckout(bad)).rejects.toMatchObject({
      faults: ['plan_id', 'billing_interval', 'contact_reference', 'other'].map((field) => ({ field })),
    });
    await expect(order('ten_none', 'topup')).rejects.toMatchObject({ reason: 'unknown_tenant' });
    await expect(billing.call.openPortal({ tenantId, returnUrl: '//evil.example' })).rejects.toMatchObject({
      faults: [{ field: 'return_url' }],
    });
    expect(
      await billing.call.createCheckout({
        ...bad,
        planId: 'topup',
        billingInterval: 'month',
        references: { contact_reference: 'x'.repeat(255) },
      }),
    ).toBeDefined();
  });
});

describe('an event', () => {
  test('with a forged, missing or old signature, or another body, changes nothing', async () => {
    const tenantId = await newTenant();
    const { orderId } = await order(tenantId, 'topup');
    const event = stripeEvents.sessionCompleted(orderId, null);
    const { body, signature } = stripe.sign(event, nowMs());
    const forged = [
      { body, signature: '' },
      { body, signature: signature.replace(/v1=./, (match) => (match === 'v1=0' ? 'v1=1' : 'v1=0')) },
      { body: Buffer.from(body.toString().replace('"paid"', '"paid" ')), signature },
      { body: Buffer.concat([body, Buffer.from('\n')]), signature },
      stripe.sign(event, nowMs() - 301_000),
    ];
    for (const request of forged)
      await expect(billing.call.receiveEvent(request)).rejects.toMatchObject({
        code: 'UNAUTHENTICATED',
        reason: 'billing_signature_refused',
      });
    expect(await invoicesOf(tenantId)).toEqual([]);
    expect(await overview(tenantId)).toMatchObject({ marketStateAvailable: 0 });
    await billing.call.receiveEvent({ body, signature });
    expect(await overview(tenantId)).toMatchObject({ marketStateAvailable: 100_000, exportAvailable: 500 });
  });

  test('told 20 times at once fulfils once, and so does another event of the same payment', async () => {
    const tenantId = await newTenant();
    const { orderId } = await order(tenantId, 'topup');
    const event = stripeEvents.sessionCompleted(orderId, null);
    await Promise.all(Array.from({ length: 20 }, () => tell(event)));
    await tell(stripeEvents.paymentSucceeded(orderId));
    expect(await overview(tenantId)).toMatchObject({ marketStateAvailable: 100_000, exportAvailable: 500 });
    expect(await invoicesOf(tenantId)).toMatchObject([{ orderId, status: 'paid', planId: 'topup', amountCents: 3_900 }]);
  });

  test('of a checkout whose payment is under way waits for the payment; one that expires and is paid after all counts', async () => {
    const tenantId = await newTenant();
    const { orderId } = await order(tenantId, 'topup');
    await tell(stripeEvents.sessionCompleted(orderId, null, 'unpaid'));
    expect(await overview(tenantId)).toMatchObject({ marketStateAvailable: 0 });
    await tell(stripeEvents.sessionExpired(orderId));
    expect(await service.sql('SELECT status FROM billing_order WHERE id = $1', [orderId])).toEqual([{ status: 'expired' }]);
    await tell(stripeEvents.paymentSucceeded(orderId));
    expect(await overview(tenantId)).toMatchObject({ marketStateAvailable: 100_000 });
    await tell(stripeEvents.sessionExpired(orderId));
    expect(await service.sql('SELECT status FROM billing_order WHERE id = $1', [orderId])).toEqual([{ status: 'fulfilled' }]);
  });

  test('that is not about an order of ours is taken and let go', async () => {
    await tell(stripeEvents.foreign());
    await tell(stripeEvents.sessionCompleted('ord_none', null));
    expect(await service.sql(`SELECT 1 FROM provider_event WHERE type = 'customer.created'`)).toEqual([]);
  });
});

describe('a subscription', () => {
  const first = (orderId: string, subscription: string, startS: number) =>
    stripeEvents.invoicePaid(orderId, {
      id: `in_${subscription}_1`,
      subscription,
      reason: 'subscription_create',
      periodStart: startS,
      amount: 19_900,
    });

  test.each([false, true])(
    'gives its first month once, in whatever order checkout and invoice are told (invoice first: %s)',
    async (invoiceFirst) => {
      const tenantId = await newTenant();
      const { orderId } = await order(tenantId, 'public_pro');
      const subscription = `sub_order_${String(invoiceFirst)}`;
      const events = [stripeEvents.sessionCompleted(orderId, subscription), first(orderId, subscription, nowS())];
      for (const event of invoiceFirst ? events.reverse() : events) await tell(event);
      for (const event of events) await tell(event);
      expect(await overview(tenantId)).toMatchObject({
        planId: 'public_pro',
        renewal: account.Renewal.MONTHLY,
        marketStateAvailable: 1_000_000,
        exportAvailable: 5_000,
      });
      expect(await invoicesOf(tenantId)).toMatchObject([
        { status: 'paid', amountCents: 19_900, documentUrl: `https://invoice.stripe.example/in_${subscription}_1` },
      ]);
      expect(await service.sql('SELECT plan_until - billing_anchor AS paid FROM tenant WHERE id = $1', [tenantId])).toMatchObject([
        { paid: { days: expect.any(Number) as number } },
      ]);
    },
  );

  test('goes on with each further period, told as it begins and again when it is paid; a payment that failed gives none', async () => {
    const tenantId = await newTenant();
    const { orderId } = await order(tenantId, 'public_pro');
    const startDate = nowS();
    await tell(stripeEvents.sessionCompleted(orderId, 'sub_on'));
    const until = async (): Promise<number> =>
      ((await service.sql<{ at: Date }>('SELECT plan_until AS at FROM tenant WHERE id = $1', [tenantId]))[0]?.at.getTime() ?? 0) / DAY_MS;
    const paidOnce = await until();
    await tell(stripeEvents.subscriptionUpdated(orderId, { id: 'sub_on', status: 'active', startDate, periodStart: startDate }));
    expect(await until()).toBe(paidOnce);
    const periodStart = startDate + 30 * 86_400;
    await tell(stripeEvents.subscriptionUpdated(orderId, { id: 'sub_on', status: 'past_due', startDate, periodStart }));
    expect(await until()).toBe(paidOnce);
    await tell(stripeEvents.subscriptionUpdated(orderId, { id: 'sub_on', status: 'active', startDate, periodStart }));
    const paidTwice = await until();
    expect(paidTwice - paidOnce).toBeGreaterThanOrEqual(28);
    const invoice = { id: 'in_on_2', subscription: 'sub_on', reason: 'subscription_cycle', periodStart, amount: 19_900 };
    await tell(stripeEvents.invoicePaid(orderId, invoice));
    await tell(stripeEvents.invoicePaid(orderId, invoice));
    expect(await until()).toBe(paidTwice);
    expect(await invoicesOf(tenantId)).toHaveLength(1);
  });

  test('that a newer plan has replaced is ended, and what it still pays changes nothing; its end is told once', async () => {
    const tenantId = await newTenant();
    const older = await order(tenantId, 'public_builder');
    await tell(stripeEvents.sessionCompleted(older.orderId, 'sub_older'));
    service.clock.aheadMs += 1_000;
    const newer = await order(tenantId, 'public_research');
    const completed = stripeEvents.sessionCompleted(newer.orderId, 'sub_newer');
    stripe.failures.push(500, 500, 500);
    await expect(tell(completed)).rejects.toMatchObject({ reason: 'billing_provider_unavailable' });
    expect(await overview(tenantId)).toMatchObject({ planId: 'public_research', marketStateAvailable: 4_100_000 });
    await tell(completed);
    const ended = (): StripeCall[] =>
      stripe.calls.filter(({ method, path }) => method === 'DELETE' && path.startsWith('/v1/subscriptions/sub_older?prorate=true'));
    expect(ended().length).toBeGreaterThan(0);
    await tell(stripeEvents.subscriptionDeleted(older.orderId, 'sub_older'));
    const total = ended().length;
    await tell(
      stripeEvents.invoicePaid(older.orderId, {
        id: 'in_older_2',
        subscription: 'sub_older',
        reason: 'subscription_cycle',
        periodStart: nowS() + 86_400,
        amount: 4_900,
      }),
    );
    expect(ended()).toHaveLength(total);
    expect(await overview(tenantId)).toMatchObject({ planId: 'public_research', marketStateAvailable: 4_100_000 });
    expect(await invoicesOf(tenantId)).toMatchObject([{ planId: 'public_builder', amountCents: 4_900 }]);
  });
});

describe('a plan that the operator gives to a tenant who pays by a subscription', () => {
  /** A tenant whose subscription of that id runs. */
  async function subscriber(
    subscriptionId: string,
  ): Promise<{ readonly tenantId: string; readonly name: string; readonly orderId: string }> {
    const tenantId = await newTenant();
    const { orderId } = await order(tenantId, 'public_pro');
    await tell(stripeEvents.sessionCompleted(orderId, subscriptionId));
    return { tenantId, name: (await overview(tenantId))?.name ?? '', orderId };
  }
  const enterprise = { planId: 'enterprise', renewal: account.Renewal.MONTHLY, marketStateCredits: 9_000_000 };
  /** Ends that the provider was asked for, with what was paid for the rest credited. */
  const ends = (subscriptionId: string): StripeCall[] =>
    stripe.calls.filter(({ method, path }) => method === 'DELETE' && path.startsWith(`/v1/subscriptions/${subscriptionId}?prorate=true`));

  test('is refused, with the order and what to do, and nothing is changed; without a plan nothing is asked', async () => {
    const { tenantId, name, orderId } = await subscriber('sub_kept');
    await expect(operator.call.ensureTenant({ name, ...enterprise })).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'subscription_running',
      message: expect.stringMatching(`pays for public_pro by a subscription .order ${orderId}.*Ask for its end`) as string,
    });
    expect(await overview(tenantId)).toMatchObject({ planId: 'public_pro', marketStateAvailable: 1_000_000 });
    await operator.call.ensureTenant({ name, planId: '', renewal: account.Renewal.UNSPECIFIED });
    expect(ends('sub_kept')).toEqual([]);
  });

  test('ends the subscription where that is asked for, with the rest credited, once', async () => {
    const { tenantId, name } = await subscriber('sub_ended');
    await operator.call.ensureTenant({ name, ...enterprise, endSubscription: true });
    expect(await overview(tenantId)).toMatchObject({ planId: 'enterprise', marketStateAvailable: 10_000_000 });
    await operator.call.ensureTenant({ name, ...enterprise });
    expect(ends('sub_ended')).toHaveLength(1);
  });

  test('changes nothing while the provider cannot end it, and all when asked again', async () => {
    const { tenantId, name } = await subscriber('sub_away');
    stripe.failures.push(500, 500, 500);
    await expect(operator.call.ensureTenant({ name, ...enterprise, endSubscription: true })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      reason: 'billing_provider_unavailable',
    });
    expect(await overview(tenantId)).toMatchObject({ planId: 'public_pro' });
    await operator.call.ensureTenant({ name, ...enterprise, endSubscription: true });
    expect(await overview(tenantId)).toMatchObject({ planId: 'enterprise' });
  });

  test('is free to change once the provider has told that the subscription ended', async () => {
    const { tenantId, name, orderId } = await subscriber('sub_over');
    await tell(stripeEvents.subscriptionDeleted(orderId, 'sub_over'));
    await operator.call.ensureTenant({ name, ...enterprise });
    expect(await overview(tenantId)).toMatchObject({ planId: 'enterprise' });
    expect(ends('sub_over')).toEqual([]);
  });
});
