import { account } from '@market-state/contracts';
import { createClient, type GrpcClient } from '@market-state/grpc';
import { type StandInStripe, startStandInStripe, type StripeCall, testPeer } from '@market-state/testing';
import { type AccountUnderTest, startAccountUnderTest } from './account-under-test';

/** Secret key of the merchant; a canary that must not appear elsewhere. */
export const SECRET_KEY = 'sk_test_canary_of_the_secret_key_0123456789';

/** Account service with a stand-in for Stripe, and clients. */
export interface StripeBilling {
  readonly stripe: StandInStripe;
  readonly service: AccountUnderTest;
  readonly billing: GrpcClient<account.BillingServiceService>;
  readonly operator: GrpcClient<account.OperatorServiceService>;
  newTenant(): Promise<string>;
  overview(tenantId: string): Promise<account.OperatorTenant | undefined>;
  order(tenantId: string, planId: string, billingInterval?: string): Promise<account.Order>;
  /** Service clock in epoch milliseconds. */
  nowMs(): number;
  /** Sends a signed Stripe event. */
  report(event: object): Promise<account.ReceiveEventResponse>;
  invoicesOf(tenantId: string): Promise<account.Invoice[]>;
  /** Calls that Stripe received at a path. */
  callsTo(path: string): StripeCall[];
  /** Prorated cancellations of a subscription. */
  endsOf(subscriptionId: string): StripeCall[];
  stop(): Promise<void>;
}

export async function startStripeBilling(): Promise<StripeBilling> {
  const stripe = await startStandInStripe();
  const settings = { secretKey: SECRET_KEY, webhookSecret: stripe.webhookSecret, apiBase: new URL(stripe.url) };
  const service = await startAccountUnderTest({
    config: { billing: { stripe: settings, allowedOrigins: ['https://app.market-state.example'] } },
  });
  const { address } = service.server;
  const peer = testPeer('account');
  const billing = createClient({ definition: account.BillingServiceService, peer, address, deadlineMs: 20_000 });
  const operator = createClient({ definition: account.OperatorServiceService, peer, address, deadlineMs: 10_000 });
  let tenants = 0;
  const nowMs = (): number => Date.now() + service.clock.aheadMs;
  return {
    stripe,
    service,
    billing,
    operator,
    async newTenant() {
      tenants += 1;
      const { tenant } = await operator.call.ensureTenant({ name: `buyer-${tenants}`, planId: '', renewal: account.Renewal.UNSPECIFIED });
      return tenant?.tenantId ?? '';
    },
    async overview(tenantId) {
      const { tenants: all } = await operator.call.listTenants({ limit: 1_000, cursor: '' });
      return all.find((tenant) => tenant.tenantId === tenantId);
    },
    async order(tenantId, planId, billingInterval = 'month') {
      const response = await billing.call.createCheckout({ tenantId, accountId: '', planId, billingInterval, references: {} });
      if (response.order === undefined) throw new Error('no order');
      return response.order;
    },
    nowMs,
    report: (event) => billing.call.receiveEvent(stripe.sign(event, nowMs())),
    invoicesOf: async (tenantId) => (await billing.call.listInvoices({ tenantId, limit: 100, cursor: '' })).invoices,
    callsTo: (path) => stripe.calls.filter((call) => call.path === path),
    endsOf: (subscriptionId) =>
      stripe.calls.filter(({ method, path }) => method === 'DELETE' && path.startsWith(`/v1/subscriptions/${subscriptionId}?prorate=true`)),
    async stop() {
      await Promise.all([billing.close(), operator.close()]);
      await service.stop();
      await stripe.close();
    },
  };
}
