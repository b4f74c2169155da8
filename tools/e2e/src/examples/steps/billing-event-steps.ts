import { createHmac, randomBytes } from 'node:crypto';
import type { Step } from '../step';

const SECRET = randomBytes(24).toString('hex');

/** Settings of a system whose provider of payments is Stripe, as far as its events go. */
export const STRIPE_SETTINGS = { STRIPE_SECRET_KEY: `sk_test_${SECRET}`, STRIPE_WEBHOOK_SECRET: SECRET };

/** What the provider of payments calls, on a system with these settings. */
export const billingEventSteps: readonly Step[] = [
  {
    operation: 'receiveBillingEvent',
    summary: 'An event whose signature was good.',
    as: 'nobody',
    body: () => ({ id: 'evt_1', object: 'event', type: 'customer.created', created: Math.floor(Date.now() / 1_000), data: { object: {} } }),
    headers: (_scene, body) => ({ 'stripe-signature': signatureOf(body) }),
  },
];

function signatureOf(body: string): string {
  const second = Math.floor(Date.now() / 1_000);
  return `t=${second},v1=${createHmac('sha256', SECRET).update(`${second}.${body}`).digest('hex')}`;
}
