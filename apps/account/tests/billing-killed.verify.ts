import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { account } from '@market-state/contracts';
import { createClient } from '@market-state/grpc';
import {
  bundleOf,
  freePort,
  type StandInStripe,
  startStandInStripe,
  stripeEvents,
  testPeer,
  testRpcVariables,
  waitUntil,
} from '@market-state/testing';
import { type AccountUnderTest, startAccountUnderTest } from './account-under-test';

const secretKey = 'sk_test_of_the_stand_in_0123456789abcdef';
let stripe: StandInStripe;
let service: AccountUnderTest;
const children: ChildProcess[] = [];

beforeAll(async () => {
  stripe = await startStandInStripe();
  const settings = { secretKey, webhookSecret: stripe.webhookSecret, apiBase: new URL(stripe.url) };
  service = await startAccountUnderTest({ config: { billing: { stripe: settings, allowedOrigins: [] } } });
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await service.stop();
  await stripe.close();
});

/** A second process on the same database. */
async function spawnReplica(): Promise<{ child: ChildProcess; address: string }> {
  const address = `127.0.0.1:${await freePort()}`;
  const env = {
    PATH: process.env['PATH'],
    LOG_LEVEL: 'warn',
    ...testRpcVariables('account'),
    GRPC_ADDRESS: address,
    DATABASE_URL: service.stores.postgresUrl('account'),
    ANSWER_SECRET: 'a secret of tests, 32 bytes or more',
    PUBLIC_BASE_URL: 'https://market-state.example',
    OUTBOX_DIR: service.outbox,
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
    STRIPE_API_BASE: stripe.url,
  };
  const child = spawn(process.execPath, [bundleOf('account')], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  children.push(child);
  return { child, address };
}

test.each(['/v1/customers', '/v1/checkout/sessions'])(
  'a service killed after the provider has done %s duplicates nothing and fulfils everything paid',
  async (path) => {
    const operator = createClient({
      definition: account.OperatorServiceService,
      peer: testPeer('account'),
      address: service.server.address,
    });
    const { tenant } = await operator.call.ensureTenant({ name: `killed ${path}`, planId: '', renewal: account.Renewal.UNSPECIFIED });
    const tenantId = tenant?.tenantId ?? '';
    const { child, address } = await spawnReplica();
    const request = { tenantId, accountId: '', planId: 'topup', billingInterval: 'month', references: {} };
    stripe.beforeAnswer = async (call) => {
      if (call.path !== path) return;
      stripe.beforeAnswer = () => Promise.resolve();
      child.kill('SIGKILL');
      await once(child, 'exit');
    };
    const killed = createClient({ definition: account.BillingServiceService, peer: testPeer('account'), address, deadlineMs: 20_000 });
    const isKilled = once(child, 'exit');
    await waitUntil('the second process serves', () => killed.call.listInvoices({ tenantId, limit: 1, cursor: '' }).then(() => true));
    await expect(killed.call.createCheckout(request)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await isKilled;

    const billing = createClient({
      definition: account.BillingServiceService,
      peer: testPeer('account'),
      address: service.server.address,
      deadlineMs: 10_000,
    });
    const { order } = await billing.call.createCheckout(request);
    const sessions = stripe.calls.filter((call) => call.path === '/v1/checkout/sessions' && call.form['metadata[tenant_id]'] === tenantId);
    expect(new Set(sessions.map(({ form }) => form['customer'])).size).toBe(1);

    for (const { form } of sessions)
      await billing.call.receiveEvent(stripe.sign(stripeEvents.sessionCompleted(form['client_reference_id'] ?? '', null)));
    const { invoices } = await billing.call.listInvoices({ tenantId, limit: 10, cursor: '' });
    expect(invoices.map(({ orderId }) => orderId).sort()).toEqual(sessions.map(({ form }) => form['client_reference_id']).sort());
    expect(invoices.map(({ orderId }) => orderId)).toContain(order?.orderId);
    expect(
      (await operator.call.ensureTenant({ name: `killed ${path}`, planId: '', renewal: account.Renewal.UNSPECIFIED })).tenant,
    ).toMatchObject({
      marketStateAvailable: 100_000 * sessions.length,
    });
    await Promise.all([killed.close(), billing.close(), operator.close()]);
  },
);
