import type { account } from '@market-state/contracts';
import { accountAnswer } from '../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../serving/answers/handler';
import { toUtc } from '../../serving/meta/instant';
import type { AccountDeps } from './account-deps';
import { fromAccount } from './body-faults';
import { orNull } from './or-null';
import { type Described, documentedWord } from '../../serving/openapi/described';

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

const providerNamed = documentedWord('Invoice', 'provider');
const statusNamed = documentedWord('Invoice', 'status');
const intervalNamed = documentedWord('Invoice', 'billing_interval');

function showInvoice(invoice: account.Invoice): Described<'Invoice'> {
  return {
    invoice_id: invoice.invoiceId,
    order_id: invoice.orderId,
    provider: providerNamed(invoice.provider),
    status: statusNamed(invoice.status),
    plan_id: invoice.planId,
    billing_interval: invoice.planId === 'topup' || invoice.billingInterval === '' ? null : intervalNamed(invoice.billingInterval),
    amount_cents: invoice.amountCents,
    currency: 'usd',
    created_utc: toUtc(invoice.createdTsMs),
    document_url: orNull(invoice.documentUrl),
  };
}
