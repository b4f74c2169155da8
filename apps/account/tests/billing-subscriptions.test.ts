import { account } from '@market-state/contracts';
import { stripeEvents } from '@market-state/testing';
import { startStripeBilling, type StripeBilling } from './stripe-billing';

const DAY_MS = 86_400_000;

let under: StripeBilling;

beforeAll(async () => {
  under = await startStripeBilling();
});
afterAll(() => under.stop());

const nowS = (): number => Math.floor(under.nowMs() / 1_000);

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
    'grants the first month once for any order of checkout and invoice (invoice first: %s)',
    async (invoiceFirst) => {
      const tenantId = await under.newTenant();
      const { orderId } = await under.order(tenantId, 'public_pro');
      const subscription = `sub_order_${String(invoiceFirst)}`;
      const events = [stripeEvents.sessionCompleted(orderId, subscription), first(orderId, subscription, nowS())];
      for (const event of invoiceFirst ? events.reverse() : events) await under.report(event);
      for (const event of events) await under.report(event);
      expect(await under.overview(tenantId)).toMatchObject({
        planId: 'public_pro',
        renewal: account.Renewal.MONTHLY,
        marketStateAvailable: 1_000_000,
        exportAvailable: 5_000,
      });
      expect(await under.invoicesOf(tenantId)).toMatchObject([
        { status: 'paid', amountCents: 19_900, documentUrl: `https://invoice.stripe.example/in_${subscription}_1` },
      ]);
      expect(await under.service.sql('SELECT plan_until - billing_anchor AS paid FROM tenant WHERE id = $1', [tenantId])).toMatchObject([
        { paid: { days: expect.any(Number) as number } },
      ]);
    },
  );

  test('continues with each further period, reported when it starts and again when it is paid; a failed payment gives none', async () => {
    const tenantId = await under.newTenant();
    const { orderId } = await under.order(tenantId, 'public_pro');
    const startDate = nowS();
    await under.report(stripeEvents.sessionCompleted(orderId, 'sub_on'));
    const until = async (): Promise<number> =>
      ((await under.service.sql<{ at: Date }>('SELECT plan_until AS at FROM tenant WHERE id = $1', [tenantId]))[0]?.at.getTime() ?? 0) /
      DAY_MS;
    const paidOnce = await until();
    await under.report(stripeEvents.subscriptionUpdated(orderId, { id: 'sub_on', status: 'active', startDate, periodStart: startDate }));
    expect(await until()).toBe(paidOnce);
    const periodStart = startDate + 30 * 86_400;
    await under.report(stripeEvents.subscriptionUpdated(orderId, { id: 'sub_on', status: 'past_due', startDate, periodStart }));
    expect(await until()).toBe(paidOnce);
    await under.report(stripeEvents.subscriptionUpdated(orderId, { id: 'sub_on', status: 'active', startDate, periodStart }));
    const paidTwice = await until();
    expect(paidTwice - paidOnce).toBeGreaterThanOrEqual(28);
    const invoice = { id: 'in_on_2', subscription: 'sub_on', reason: 'subscription_cycle', periodStart, amount: 19_900 };
    await under.report(stripeEvents.invoicePaid(orderId, invoice));
    await under.report(stripeEvents.invoicePaid(orderId, invoice));
    expect(await until()).toBe(paidTwice);
    expect(await under.invoicesOf(tenantId)).toHaveLength(1);
  });

  test('that a newer plan has replaced is cancelled, and its late payments change nothing; its end is reported once', async () => {
    const tenantId = await under.newTenant();
    const older = await under.order(tenantId, 'public_builder');
    await under.report(stripeEvents.sessionCompleted(older.orderId, 'sub_older'));
    under.service.clock.aheadMs += 1_000;
    const newer = await under.order(tenantId, 'public_research');
    const completed = stripeEvents.sessionCompleted(newer.orderId, 'sub_newer');
    under.stripe.failures.push(500, 500, 500);
    await expect(under.report(completed)).rejects.toMatchObject({ reason: 'billing_provider_unavailable' });
    expect(await under.overview(tenantId)).toMatchObject({ planId: 'public_research', marketStateAvailable: 4_100_000 });
    await under.report(completed);
    expect(under.endsOf('sub_older').length).toBeGreaterThan(0);
    await under.report(stripeEvents.subscriptionDeleted(older.orderId, 'sub_older'));
    const total = under.endsOf('sub_older').length;
    await under.report(
      stripeEvents.invoicePaid(older.orderId, {
        id: 'in_older_2',
        subscription: 'sub_older',
        reason: 'subscription_cycle',
        periodStart: nowS() + 86_400,
        amount: 4_900,
      }),
    );
    expect(under.endsOf('sub_older')).toHaveLength(total);
    expect(await under.overview(tenantId)).toMatchObject({ planId: 'public_research', marketStateAvailable: 4_100_000 });
    expect(await under.invoicesOf(tenantId)).toMatchObject([{ planId: 'public_builder', amountCents: 4_900 }]);
  });
});

describe('a plan that the operator gives to a tenant who pays by a subscription', () => {
  async function subscriber(
    subscriptionId: string,
  ): Promise<{ readonly tenantId: string; readonly name: string; readonly orderId: string }> {
    const tenantId = await under.newTenant();
    const { orderId } = await under.order(tenantId, 'public_pro');
    await under.report(stripeEvents.sessionCompleted(orderId, subscriptionId));
    return { tenantId, name: (await under.overview(tenantId))?.name ?? '', orderId };
  }
  const enterprise = { planId: 'enterprise', renewal: account.Renewal.MONTHLY, marketStateCredits: 9_000_000 };

  test('is refused, with the order and what to do, and nothing is changed; without a plan nothing is asked', async () => {
    const { tenantId, name, orderId } = await subscriber('sub_kept');
    await expect(under.operator.call.ensureTenant({ name, ...enterprise })).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'subscription_running',
      message: expect.stringMatching(`pays for public_pro by subscription .order ${orderId}.*End it together with`) as string,
    });
    expect(await under.overview(tenantId)).toMatchObject({ planId: 'public_pro', marketStateAvailable: 1_000_000 });
    await under.operator.call.ensureTenant({ name, planId: '', renewal: account.Renewal.UNSPECIFIED });
    expect(under.endsOf('sub_kept')).toEqual([]);
  });

  test('ends the subscription where that is asked for, with the rest credited, once', async () => {
    const { tenantId, name } = await subscriber('sub_ended');
    await under.operator.call.ensureTenant({ name, ...enterprise, endSubscription: true });
    expect(await under.overview(tenantId)).toMatchObject({ planId: 'enterprise', marketStateAvailable: 10_000_000 });
    await under.operator.call.ensureTenant({ name, ...enterprise });
    expect(under.endsOf('sub_ended')).toHaveLength(1);
  });

  test('changes nothing while the provider cannot end it, and all when asked again', async () => {
    const { tenantId, name } = await subscriber('sub_away');
    under.stripe.failures.push(500, 500, 500);
    await expect(under.operator.call.ensureTenant({ name, ...enterprise, endSubscription: true })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      reason: 'billing_provider_unavailable',
    });
    expect(await under.overview(tenantId)).toMatchObject({ planId: 'public_pro' });
    await under.operator.call.ensureTenant({ name, ...enterprise, endSubscription: true });
    expect(await under.overview(tenantId)).toMatchObject({ planId: 'enterprise' });
  });

  test('may change once the provider reported the end of the subscription', async () => {
    const { tenantId, name, orderId } = await subscriber('sub_over');
    await under.report(stripeEvents.subscriptionDeleted(orderId, 'sub_over'));
    await under.operator.call.ensureTenant({ name, ...enterprise });
    expect(await under.overview(tenantId)).toMatchObject({ planId: 'enterprise' });
    expect(under.endsOf('sub_over')).toEqual([]);
  });
});
