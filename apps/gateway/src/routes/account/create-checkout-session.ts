import type { account } from '@market-state/contracts';
import { internal } from '@market-state/errors';
import { accountAnswer } from '../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../serving/answers/handler';
import { toUtc, toUtcOrNull } from '../../serving/meta/instant';
import type { AccountDeps } from './account-deps';
import { fromAccount } from './body-faults';
import { type WithoutMeta, documentedWord } from '../../serving/openapi/described';

/** References of the caller that are kept with an order; other further fields are ignored. */
const REFERENCES = [
  'activation_request_id',
  'checkout_campaign_id',
  'checkout_content_id',
  'checkout_source_id',
  'contact_reference',
] as const;

export function createCheckoutSession({ billing, baseUrl }: AccountDeps): Handler<'createCheckoutSession'> {
  return async (call) => {
    const { tenantId, accountId } = grantOf(call);
    const body = call.input.body;
    const references = Object.fromEntries(REFERENCES.flatMap((name) => (body[name] === '' ? [] : [[name, body[name]]])));
    const { order } = await fromAccount(
      billing.call.createCheckout({
        tenantId,
        accountId: accountId ?? '',
        planId: body.plan_id,
        billingInterval: body.billing_interval,
        references,
        ...call.ownTry,
      }),
    );
    const shown = showOrder(order, baseUrl());
    return accountAnswer(
      call,
      shown,
      shown.provider === 'offline' ? 'The order is recorded; an operator approves it, and no payment is taken.' : 'The checkout is open.',
    );
  };
}

const providerNamed = documentedWord('CheckoutSession', 'provider');
const statusNamed = documentedWord('CheckoutSession', 'status');
const intervalNamed = documentedWord('CheckoutSession', 'billing_interval');

function showOrder(order: account.Order | undefined, baseUrl: string): WithoutMeta<'CheckoutSession'> {
  if (order === undefined) throw internal({ detail: 'account told no order' });
  return {
    order_id: order.orderId,
    provider: providerNamed(order.provider),
    status: statusNamed(order.status),
    plan_id: order.planId,
    billing_interval: order.planId === 'topup' || order.billingInterval === '' ? null : intervalNamed(order.billingInterval),
    amount_cents: order.amountCents,
    currency: 'usd',
    checkout_url: new URL(order.checkoutUrl, baseUrl).href,
    created_utc: toUtc(order.createdTsMs),
    expires_utc: toUtcOrNull(order.expiresTsMs),
  };
}
