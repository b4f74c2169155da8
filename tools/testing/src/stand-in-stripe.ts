import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

let events = 0;

function event(type: string, object: object): { id: string; type: string } & Record<string, unknown> {
  events += 1;
  return {
    id: `evt_${events}`,
    object: 'event',
    api_version: '2026-01-01',
    created: Math.floor(Date.now() / 1_000),
    type,
    data: { object },
  };
}

/** Stripe events reduced to the fields in use. Times are seconds since the epoch. */
export const stripeEvents = {
  sessionCompleted: (orderId: string, subscription: string | null, paymentStatus = 'paid') =>
    event('checkout.session.completed', {
      object: 'checkout.session',
      client_reference_id: orderId,
      payment_status: paymentStatus,
      subscription,
    }),
  paymentSucceeded: (orderId: string) =>
    event('checkout.session.async_payment_succeeded', {
      object: 'checkout.session',
      client_reference_id: orderId,
      payment_status: 'paid',
      subscription: null,
    }),
  sessionExpired: (orderId: string) =>
    event('checkout.session.expired', { object: 'checkout.session', client_reference_id: orderId, payment_status: 'unpaid' }),
  invoicePaid: (orderId: string, invoice: { id: string; subscription: string; reason: string; periodStart: number; amount: number }) =>
    event('invoice.paid', {
      object: 'invoice',
      id: invoice.id,
      billing_reason: invoice.reason,
      amount_paid: invoice.amount,
      created: invoice.periodStart,
      hosted_invoice_url: `https://invoice.stripe.example/${invoice.id}`,
      lines: { data: [{ period: { start: invoice.periodStart, end: invoice.periodStart + 2_592_000 } }] },
      parent: {
        type: 'subscription_details',
        subscription_details: { subscription: invoice.subscription, metadata: { order_id: orderId } },
      },
    }),
  subscriptionUpdated: (orderId: string, subscription: { id: string; status: string; startDate: number; periodStart: number }) =>
    event('customer.subscription.updated', {
      object: 'subscription',
      id: subscription.id,
      status: subscription.status,
      start_date: subscription.startDate,
      metadata: { order_id: orderId },
      items: { data: [{ current_period_start: subscription.periodStart }] },
    }),
  subscriptionDeleted: (orderId: string, id: string) =>
    event('customer.subscription.deleted', {
      object: 'subscription',
      id,
      status: 'canceled',
      metadata: { order_id: orderId },
      ended_at: Math.floor(Date.now() / 1_000),
      items: { data: [] },
    }),
  foreign: () => event('customer.created', { object: 'customer', id: 'cus_other' }),
};

export interface StripeCall {
  readonly method: string;
  readonly path: string;
  readonly idempotencyKey: string;
  readonly authorization: string;
  /** Flat form fields: `line_items[0][quantity]` → `1`. */
  readonly form: Readonly<Record<string, string>>;
}

export interface StandInStripe {
  readonly url: string;
  readonly webhookSecret: string;
  readonly calls: StripeCall[];
  /** Statuses for the next calls; 0 breaks the connection. */
  readonly failures: number[];
  beforeAnswer: (call: StripeCall) => Promise<void>;
  sign(event: object, atMs?: number): { body: Buffer; signature: string };
  close(): Promise<void>;
}

/** Implements the Stripe calls in use, on loopback; repeats the first answer for an idempotency key. */
export async function startStandInStripe(): Promise<StandInStripe> {
  // Loaded lazily, because most importers of this lib don't need it.
  const { default: Stripe } = await import('stripe');
  const webhookSecret = 'whsec_of_the_stand_in_0123456789abcdef';
  const calls: StripeCall[] = [];
  const failures: number[] = [];
  const answers = new Map<string, string>();
  let made = 0;

  function answerTo(call: StripeCall): string {
    made += 1;
    const known = call.idempotencyKey === '' ? undefined : answers.get(call.idempotencyKey);
    const answer = known ?? JSON.stringify(objectFor(call, made));
    if (call.idempotencyKey !== '') answers.set(call.idempotencyKey, answer);
    return answer;
  }

  const server = createServer((request, response) => {
    void (async () => {
      const call = await readCall(request);
      calls.push(call);
      const failure = failures.shift();
      if (failure === 0) return request.socket.destroy();
      if (failure !== undefined)
        return response
          .writeHead(failure, { 'content-type': 'application/json' })
          .end('{"error":{"type":"api_error","message":"refused"}}');
      const answer = answerTo(call);
      await standIn.beforeAnswer(call);
      return response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
    })();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const standIn: StandInStripe = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    webhookSecret,
    calls,
    failures,
    beforeAnswer: () => Promise.resolve(),
    sign(event, atMs = Date.now()) {
      const payload = JSON.stringify(event);
      const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: webhookSecret, timestamp: Math.floor(atMs / 1_000) });
      return { body: Buffer.from(payload), signature };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return standIn;
}

async function readCall(request: IncomingMessage): Promise<StripeCall> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    idempotencyKey: String(request.headers['idempotency-key'] ?? ''),
    authorization: String(request.headers.authorization),
    form: Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString())),
  };
}

function objectFor({ method, path }: StripeCall, number: number): object {
  if (path === '/v1/customers') return { id: `cus_${number}`, object: 'customer' };
  if (path === '/v1/checkout/sessions') {
    const id = `cs_${number}`;
    return { id, object: 'checkout.session', url: `https://checkout.stripe.example/${id}`, expires_at: 1_900_000_000 };
  }
  if (path === '/v1/billing_portal/sessions')
    return { id: `bps_${number}`, object: 'billing_portal.session', url: `https://billing.stripe.example/${number}` };
  if (method === 'DELETE' && path.startsWith('/v1/subscriptions/'))
    return { id: path.slice(18), object: 'subscription', status: 'canceled' };
  throw new Error(`the stand-in does not support ${method} ${path}`);
}
