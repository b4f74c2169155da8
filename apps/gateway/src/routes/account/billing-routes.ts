import type { account } from '@market-state/contracts';
import { internal } from '@market-state/errors';
import { toUtc, toUtcOrNull } from '../../serving/meta/utc';
import type { Handler } from '../../serving/handlers/handler';
import { accountAnswer } from '../../serving/answers/account-answer';
import type { AccountDeps } from './account-deps';
import { fromAccount } from './body-faults';
import { grantOf } from '../../serving/handlers/grant-of';

/** References of the caller that are kept with an order; other further fields are ignored. */
const REFERENCES = [
  'activation_request_id',
  'checkout_campaign_id',
  'checkout_content_id',
  'checkout_source_id',
  'contact_reference',
] as const;

/** Signature of the billing provider over the bytes of the body. */
const SIGNATURE_HEADER = 'stripe-signature';

function orNull(text: string): string | null {
  return text === '' ? null : text;
}

function showOrder(order: account.Order | undefined) {
  if (order === undefined) throw internal({ detail: 'account told no order' });
  return {
    order_id: order.orderId,
    provider: order.provider,
    status: order.status,
    plan_id: order.planId,
    billing_interval: order.planId === 'topup' ? null : orNull(order.billingInterval),
    amount_cents: order.amountCents,
    currency: 'usd',
    checkout_url: order.checkoutUrl,
    created_utc: toUtc(order.createdTsMs),
    expires_utc: toUtcOrNull(order.expiresTsMs),
  };
}

export function createCheckoutSession({ billing }: AccountDeps): Handler<'createCheckoutSession'> {
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
    const shown = showOrder(order);
    return accountAnswer(
      call,
      shown,
      shown.provider === 'offline' ? 'The order is recorded; an operator approves it, and no payment is taken.' : 'The checkout is open.',
    );
  };
}

export function openBillingPortal({ billing }: AccountDeps): Handler<'openBillingPortal'> {
  return async (call) => {
    const { return_url: returnUrl = '' } = call.input.body ?? {};
    const { provider, portalUrl } = await fromAccount(billing.call.openPortal({ tenantId: grantOf(call).tenantId, returnUrl }));
    return accountAnswer(call, { provider, portal_url: portalUrl }, 'The billing portal is open.');
  };
}

function showInvoice(invoice: account.Invoice) {
  return {
    invoice_id: invoice.invoiceId,
    order_id: invoice.orderId,
    provider: invoice.provider,
    status: invoice.status,
    plan_id: invoice.planId,
    billing_interval: invoice.planId === 'topup' ? null : orNull(invoice.billingInterval),
    amount_cents: invoice.amountCents,
    currency: 'usd',
    created_utc: toUtc(invoice.createdTsMs),
    document_url: orNull(invoice.documentUrl),
  };
}

export function listInvoices({ billing }: AccountDeps): Handler<'listInvoices'> {
  return async (call) => {
    const { limit, cursor } = call.input.query;
    const page = await fromAccount(billing.call.listInvoices({ tenantId: grantOf(call).tenantId, limit, cursor }));
    const rows = page.invoices.map(showInvoice);
    return accountAnswer(
      call,
      { rows, row_total: rows.length, next_cursor: orNull(page.nextCursor) },
      'Invoices of the tenant, newest first.',
    );
  };
}

/** Hands an event of the billing provider on, in the very bytes that were signed. */
export function receiveBillingEvent({ billing }: AccountDeps): Handler<'receiveBillingEvent'> {
  return async (call) => {
    const signature = call.input.headers[SIGNATURE_HEADER];
    await fromAccount(
      billing.call.receiveEvent({ body: call.bodyBytes ?? Buffer.alloc(0), signature: typeof signature === 'string' ? signature : '' }),
    );
    return accountAnswer(call, { received: true }, 'The event was received.');
  };
}
