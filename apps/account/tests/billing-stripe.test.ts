import { Pool } from 'pg';
import { stripeEvents } from '@market-state/testing';
import { customerOf } from '../src/billing/create-provider';
import { insertCustomer } from '../src/store/billing-provider';
import { SECRET_KEY, startStripeBilling, type StripeBilling } from './stripe-billing';

/** Races of four calls; `npm run verify` may run more. */
const ROUNDS = Number(process.env['PROPERTY_RUNS'] ?? 8);

let under: StripeBilling;

beforeAll(async () => {
  under = await startStripeBilling();
});
afterAll(() => under.stop());

describe('a checkout', () => {
  test('of a plan is a hosted session in mode subscription, with the price of the plan', async () => {
    const tenantId = await under.newTenant();
    const made = await under.billing.call.createCheckout({
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
    const call = under.callsTo('/v1/checkout/sessions').at(-1);
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
      success_url: `https://market-state.example/billing?order=${orderId}&checkout=done`,
      cancel_url: `https://market-state.example/billing?order=${orderId}&checkout=cancelled`,
    });
    expect(await under.service.sql('SELECT account_id, caller_references FROM billing_order WHERE id = $1', [orderId])).toEqual([
      { account_id: 'acc_1', caller_references: { contact_reference: 'c-1' } },
    ]);
  });

  test('of a top-up is paid once; a tenant is one customer, also when it asks twice at once', async () => {
    const tenantId = await under.newTenant();
    const before = new Set(under.callsTo('/v1/customers').map(({ idempotencyKey }) => idempotencyKey));
    await Promise.all([under.order(tenantId, 'topup'), under.order(tenantId, 'topup')]);
    await under.billing.call.openPortal({ tenantId, returnUrl: '/back' });
    const sessions = under.callsTo('/v1/checkout/sessions').slice(-2);
    expect(sessions.map(({ form }) => form['mode'])).toEqual(['payment', 'payment']);
    const portal = under.callsTo('/v1/billing_portal/sessions').at(-1)?.form;
    expect(new Set([...sessions.map(({ form }) => form['customer']), portal?.['customer']]).size).toBe(1);
    expect(portal?.['return_url']).toBe('https://market-state.example/back');
    expect(
      under
        .callsTo('/v1/customers')
        .filter(({ idempotencyKey }) => !before.has(idempotencyKey))
        .every(({ idempotencyKey }) => idempotencyKey === `customer-${tenantId}`),
    ).toBe(true);
  });

  test('a customer is written once by several calls at once, and is never that of two tenants', async () => {
    const tenantId = await under.newTenant();
    const pool = new Pool({ connectionString: under.service.stores.postgresUrl('account'), max: 4 });
    try {
      const write = (): Promise<void> => insertCustomer(pool, tenantId, 'cus_of_all', Date.now());
      for (let round = 0; round < ROUNDS; round += 1) {
        await Promise.all([write(), write(), write(), write()]);
        await under.service.ownerSql('DELETE FROM billing_customer WHERE tenant_id = $1', [tenantId]);
      }
      await under.service.ownerSql(`INSERT INTO billing_customer VALUES ($1, 'cus_taken', now())`, [tenantId]);
      const other = await under.newTenant();
      await expect(customerOf(pool, Date.now, other, () => Promise.resolve('cus_taken'))).rejects.toThrow(
        'cus_taken belongs to another tenant',
      );
    } finally {
      await pool.end();
    }
  });

  test('is opened although the provider fails twice, under one idempotency key; refused when it goes on failing', async () => {
    const tenantId = await under.newTenant();
    await under.billing.call.openPortal({ tenantId, returnUrl: '' });
    under.stripe.failures.push(500, 0);
    const { orderId } = await under.order(tenantId, 'topup');
    expect(
      under
        .callsTo('/v1/checkout/sessions')
        .slice(-3)
        .map(({ idempotencyKey }) => idempotencyKey),
    ).toEqual(Array(3).fill(`checkout-${orderId}`));
    under.stripe.failures.push(500, 500, 500);
    await expect(under.order(tenantId, 'topup')).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'billing_provider_unavailable' });
    under.stripe.failures.push(401);
    await expect(under.order(tenantId, 'topup')).rejects.toMatchObject({ reason: 'billing_provider_unavailable' });
    expect(under.service.lines.join('')).not.toContain('canary_of_the_secret_key');
  });

  test.each(['/v1/customers', '/v1/checkout/sessions'])(
    'of a process that ended as the provider had done %s leaves nothing twice and nothing paid unserved',
    async (path) => {
      const { stripe, billing, service } = under;
      const tenantId = await under.newTenant();
      const request = { tenantId, accountId: '', planId: 'topup', billingInterval: 'month', references: {} };
      const failed = await service.withReplica(async (replica) => {
        const done = new Promise<void>((resolve) => {
          stripe.beforeAnswer = (call) => {
            if (call.path !== path) return Promise.resolve();
            stripe.beforeAnswer = () => Promise.resolve();
            resolve();
            // Never answers.
            return new Promise(() => undefined);
          };
        });
        const leaving = new AbortController();
        const lost = replica.billing.call.createCheckout(request, { signal: leaving.signal }).catch((error: unknown) => error);
        await done;
        leaving.abort();
        return lost;
      });
      expect(failed).toMatchObject({ code: 'CANCELLED' });

      const { order } = await billing.call.createCheckout(request);
      const sessions = under.callsTo('/v1/checkout/sessions').filter(({ form }) => form['metadata[tenant_id]'] === tenantId);
      expect(new Set(sessions.map(({ form }) => form['customer'])).size).toBe(1);
      for (const { form } of sessions) await under.report(stripeEvents.sessionCompleted(form['client_reference_id'] ?? '', null));
      const paid = (await under.invoicesOf(tenantId)).map(({ orderId }) => orderId);
      expect([...paid].sort()).toEqual(sessions.map(({ form }) => form['client_reference_id']).sort());
      expect(paid).toContain(order?.orderId);
      expect(await under.overview(tenantId)).toMatchObject({ marketStateAvailable: 100_000 * sessions.length });
    },
  );

  test('names every bad field at once', async () => {
    const tenantId = await under.newTenant();
    const bad = {
      tenantId,
      accountId: '',
      planId: 'enterprise',
      billingInterval: 'week',
      references: { contact_reference: 'x'.repeat(256), other: 'a\u0000' },
    };
    await expect(under.billing.call.createCheckout(bad)).rejects.toMatchObject({
      faults: ['plan_id', 'billing_interval', 'contact_reference', 'other'].map((field) => ({ field })),
    });
    await expect(under.order('ten_none', 'topup')).rejects.toMatchObject({ reason: 'unknown_tenant' });
    await expect(under.billing.call.openPortal({ tenantId, returnUrl: '//evil.example' })).rejects.toMatchObject({
      faults: [{ field: 'return_url' }],
    });
    expect(
      await under.billing.call.createCheckout({
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
    const tenantId = await under.newTenant();
    const { orderId } = await under.order(tenantId, 'topup');
    const event = stripeEvents.sessionCompleted(orderId, null);
    const { body, signature } = under.stripe.sign(event, under.nowMs());
    const forged = [
      { body, signature: '' },
      { body, signature: signature.replace(/v1=./, (match) => (match === 'v1=0' ? 'v1=1' : 'v1=0')) },
      { body: Buffer.from(body.toString().replace('"paid"', '"paid" ')), signature },
      { body: Buffer.concat([body, Buffer.from('\n')]), signature },
      under.stripe.sign(event, under.nowMs() - 301_000),
    ];
    for (const request of forged)
      await expect(under.billing.call.receiveEvent(request)).rejects.toMatchObject({
        code: 'UNAUTHENTICATED',
        reason: 'billing_signature_refused',
      });
    expect(await under.invoicesOf(tenantId)).toEqual([]);
    expect(await under.overview(tenantId)).toMatchObject({ marketStateAvailable: 0 });
    await under.billing.call.receiveEvent({ body, signature });
    expect(await under.overview(tenantId)).toMatchObject({ marketStateAvailable: 100_000, exportAvailable: 500 });
  });

  test('reported 20 times concurrently is fulfilled once, also by another event of the same payment', async () => {
    const tenantId = await under.newTenant();
    const { orderId } = await under.order(tenantId, 'topup');
    const event = stripeEvents.sessionCompleted(orderId, null);
    await Promise.all(Array.from({ length: 20 }, () => under.report(event)));
    await under.report(stripeEvents.paymentSucceeded(orderId));
    expect(await under.overview(tenantId)).toMatchObject({ marketStateAvailable: 100_000, exportAvailable: 500 });
    expect(await under.invoicesOf(tenantId)).toMatchObject([{ orderId, status: 'paid', planId: 'topup', amountCents: 3_900 }]);
  });

  test('of a checkout whose payment is under way waits for the payment; one that expires and is paid after all counts', async () => {
    const tenantId = await under.newTenant();
    const { orderId } = await under.order(tenantId, 'topup');
    await under.report(stripeEvents.sessionCompleted(orderId, null, 'unpaid'));
    expect(await under.overview(tenantId)).toMatchObject({ marketStateAvailable: 0 });
    await under.report(stripeEvents.sessionExpired(orderId));
    expect(await under.service.sql('SELECT status FROM billing_order WHERE id = $1', [orderId])).toEqual([{ status: 'expired' }]);
    await under.report(stripeEvents.paymentSucceeded(orderId));
    expect(await under.overview(tenantId)).toMatchObject({ marketStateAvailable: 100_000 });
    await under.report(stripeEvents.sessionExpired(orderId));
    expect(await under.service.sql('SELECT status FROM billing_order WHERE id = $1', [orderId])).toEqual([{ status: 'fulfilled' }]);
  });

  test('that is not about an order of ours is taken and let go', async () => {
    await under.report(stripeEvents.foreign());
    await under.report(stripeEvents.sessionCompleted('ord_none', null));
    expect(await under.service.sql(`SELECT 1 FROM provider_event WHERE type = 'customer.created'`)).toEqual([]);
  });
});
