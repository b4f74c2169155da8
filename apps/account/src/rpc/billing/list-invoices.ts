import type { account } from '@market-state/contracts';
import { invalidArgument } from '@market-state/errors';
import { idFaults } from '@market-state/request-checks';
import { type Invoice } from '../../store/invoices';
import { decodeCursor, encodeCursor, pageFaults, refuseForeignCursor } from '../page';
import type { BillingDeps } from './create-checkout';
import * as store from '../../store/invoices';

export async function listInvoices(
  { pool }: BillingDeps,
  { tenantId, limit, cursor }: account.ListInvoicesRequest,
): Promise<account.ListInvoicesResponse> {
  const after = decodeCursor('i1', cursor);
  const faults = [...idFaults('tenant_id', tenantId), ...pageFaults(limit, after)];
  if (faults.length > 0 || after === undefined) throw invalidArgument(faults);
  await refuseForeignCursor(pool, 'invoice', tenantId, after);
  const invoices = await store.listInvoices(pool, tenantId, limit + 1, after);
  const page = invoices.slice(0, limit);
  const last = invoices.length > limit ? page.at(-1) : undefined;
  return {
    invoices: page.map(toProtoInvoice),
    nextCursor: last === undefined ? '' : encodeCursor('i1', { atMs: last.createdMs, id: last.id }),
  };
}

function toProtoInvoice(invoice: Invoice): account.Invoice {
  return {
    invoiceId: invoice.id,
    orderId: invoice.orderId,
    provider: invoice.provider,
    status: invoice.status,
    planId: invoice.planId,
    billingInterval: invoice.interval ?? '',
    amountCents: invoice.amountCents,
    createdTsMs: invoice.createdMs,
    documentUrl: invoice.documentUrl,
  };
}
