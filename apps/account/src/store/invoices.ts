import { type Queryable, run } from '@market-state/postgres';
import type { BillingInterval, PlanId } from '@market-state/pricing';
import { sql } from 'kysely';
import type { ProviderName } from '../billing/order';
import type { PageStart } from './page-starts';
import { tables } from './tables';

export interface Invoice {
  readonly id: string;
  readonly orderId: string;
  readonly provider: ProviderName;
  readonly status: 'paid' | 'open' | 'void' | 'approved';
  readonly planId: PlanId | 'topup';
  readonly interval: BillingInterval | null;
  readonly amountCents: number;
  readonly createdMs: number;
  readonly documentUrl: string;
}

interface NewInvoice extends Invoice {
  readonly tenantId: string;
  readonly providerInvoiceId: string | null;
}

export async function insertInvoice(on: Queryable, invoice: NewInvoice): Promise<void> {
  await run(
    on,
    tables
      .insertInto('invoice')
      .values({
        id: invoice.id,
        tenant_id: invoice.tenantId,
        order_id: invoice.orderId,
        provider: invoice.provider,
        status: invoice.status,
        plan_id: invoice.planId,
        billing_interval: invoice.interval,
        amount_cents: invoice.amountCents,
        created_at: new Date(invoice.createdMs),
        document_url: invoice.documentUrl,
        provider_invoice_id: invoice.providerInvoiceId,
      })
      .onConflict((conflict) => conflict.column('provider_invoice_id').doNothing()),
  );
}

/** Newest first, after `after`. */
export async function listInvoices(on: Queryable, tenantId: string, limit: number, after: PageStart | null): Promise<Invoice[]> {
  const ofTenant = tables
    .selectFrom('invoice')
    .select(['id', 'order_id', 'provider', 'status', 'plan_id', 'billing_interval', 'amount_cents', 'created_at', 'document_url'])
    .where('tenant_id', '=', tenantId);
  const behind = after === null ? ofTenant : ofTenant.where(sql<boolean>`(created_at, id) < (${new Date(after.atMs)}, ${after.id})`);
  const { rows } = await run(on, behind.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit));
  return rows.map((row) => ({
    id: row.id,
    orderId: row.order_id,
    provider: row.provider,
    status: row.status,
    planId: row.plan_id as Invoice['planId'],
    interval: row.billing_interval,
    amountCents: row.amount_cents,
    createdMs: row.created_at.getTime(),
    documentUrl: row.document_url,
  }));
}
