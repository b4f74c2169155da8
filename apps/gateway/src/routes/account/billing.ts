import type { account } from '@market-state/contracts';
import { internal } from '@market-state/errors';
import { accountAnswer, rowsPage } from '../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../serving/answers/handler';
import { textOrNull, toUtc, toUtcOrNull } from '../../serving/meta/meta';
import { type Described, documentedWord, type WithoutMeta } from '../../serving/openapi/document';
import { type AccountDeps, fromAccount } from './account-deps';

/** Client references stored with an order; other additional fields are ignored. */
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
    if (order === undefined) throw internal({ detail: 'account returned no order' });
    const shown = showOrder(order, baseUrl());
    return accountAnswer(
      call,
      shown,
      shown.provider === 'offline' ? 'Order recorded. An operator must approve it; no payment is taken.' : 'Checkout session created.',
    );
  };
}

export function listOrders({ billing, baseUrl }: AccountDeps): Handler<'listOrders'> {
  return async (call) => {
    const { limit, cursor } = call.input.query;
    const page = await fromAccount(billing.call.listTenantOrders({ tenantId: grantOf(call).tenantId, limit, cursor }));
    const rows = page.orders.map((order) => showOrder(order, baseUrl()));
    return accountAnswer(call, rowsPage(rows, page.nextCursor), 'Orders of this tenant, newest first.');
  };
}

const providerNamed = documentedWord('Order', 'provider');
const intervalNamed = documentedWord('Order', 'billing_interval');

function purchaseOf({ planId, billingInterval, amountCents }: account.Order | account.Invoice) {
  return {
    plan_id: planId,
    billing_interval: planId === 'topup' || billingInterval === '' ? null : intervalNamed(billingInterval),
    amount_cents: amountCents,
    currency: 'usd' as const,
  };
}

const orderStatusNamed = documentedWord('Order', 'status');

function showOrder(order: account.Order, baseUrl: string): Described<'Order'> {
  return {
    order_id: order.orderId,
    provider: providerNamed(order.provider),
    status: orderStatusNamed(order.status),
    ...purchaseOf(order),
    checkout_url: new URL(order.checkoutUrl, baseUrl).href,
    created_utc: toUtc(order.createdTsMs),
    expires_utc: toUtcOrNull(order.expiresTsMs),
  };
}

const portalProviderNamed = documentedWord('BillingPortal', 'provider');

export function openBillingPortal({ billing, baseUrl }: AccountDeps): Handler<'openBillingPortal'> {
  return async (call) => {
    const { return_url: returnUrl = '' } = call.input.body ?? {};
    const { provider, portalUrl } = await fromAccount(billing.call.openPortal({ tenantId: grantOf(call).tenantId, returnUrl }));
    return accountAnswer(
      call,
      { provider: portalProviderNamed(provider), portal_url: new URL(portalUrl, baseUrl()).href },
      'Billing portal session created.',
    );
  };
}

export function listInvoices({ billing }: AccountDeps): Handler<'listInvoices'> {
  return async (call) => {
    const { limit, cursor } = call.input.query;
    const page = await fromAccount(billing.call.listInvoices({ tenantId: grantOf(call).tenantId, limit, cursor }));
    const rows = page.invoices.map(showInvoice);
    return accountAnswer(call, rowsPage(rows, page.nextCursor), 'Invoices of this tenant, newest first.');
  };
}

const invoiceStatusNamed = documentedWord('Invoice', 'status');

function showInvoice(invoice: account.Invoice): Described<'Invoice'> {
  return {
    invoice_id: invoice.invoiceId,
    order_id: invoice.orderId,
    provider: providerNamed(invoice.provider),
    status: invoiceStatusNamed(invoice.status),
    ...purchaseOf(invoice),
    created_utc: toUtc(invoice.createdTsMs),
    document_url: textOrNull(invoice.documentUrl),
  };
}

/** The billing provider's signature over the raw body. */
const SIGNATURE_HEADER = 'stripe-signature';

/** Forwards the exact bytes that the billing provider signed. */
export function receiveBillingEvent({ billing }: AccountDeps): Handler<'receiveBillingEvent'> {
  return async (call) => {
    const signature = call.input.headers[SIGNATURE_HEADER];
    await fromAccount(
      billing.call.receiveEvent({ body: call.bodyBytes ?? Buffer.alloc(0), signature: typeof signature === 'string' ? signature : '' }),
    );
    return accountAnswer(call, { received: true }, 'Event received.');
  };
}

function showSpendControls(controls: account.SpendControls | undefined): WithoutMeta<'SpendControls'> {
  return {
    monthly_credit_cap: controls?.monthlyCreditCap ?? null,
    daily_credit_cap: controls?.dailyCreditCap ?? null,
    per_call_credit_ceiling: controls?.perCallCreditCeiling ?? null,
    export_credit_cap: controls?.exportCreditCap ?? null,
  };
}

const SPEND_CONTROLS_SENTENCE = 'Limits in credits; null means no limit.';

export function getSpendControls({ credits }: AccountDeps): Handler<'getSpendControls'> {
  return async (call) => {
    const { controls } = await credits.call.getSpendControls({ tenantId: grantOf(call).tenantId });
    return accountAnswer(call, showSpendControls(controls), SPEND_CONTROLS_SENTENCE);
  };
}

/** Sets all four limits and returns this gateway's leases, so that the next call meets the new limits. */
export function setSpendControls({ credits, meter }: AccountDeps): Handler<'setSpendControls'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const sent = call.input.body;
    const wanted: account.SpendControls = {
      monthlyCreditCap: sent.monthly_credit_cap ?? undefined,
      dailyCreditCap: sent.daily_credit_cap ?? undefined,
      perCallCreditCeiling: sent.per_call_credit_ceiling ?? undefined,
      exportCreditCap: sent.export_credit_cap ?? undefined,
    };
    const { controls } = await credits.call.setSpendControls({ tenantId, controls: wanted });
    meter.giveBack(tenantId);
    return accountAnswer(call, showSpendControls(controls), SPEND_CONTROLS_SENTENCE);
  };
}
