import type { BillingInterval, PlanId } from '@market-state/pricing';
import type { Pool } from 'pg';
import type { ProviderName } from './order';

/** What was paid, or approved. */
export interface Invoice {
  readonly id: string;
  readonly orderId: string;
  readonly provider: ProviderName;
  readonly status: 'paid' | 'open' | 'void' | 'approved';
  readonly planId: PlanId | 'topup';
  /** Null for a top-up. */
  readonly interval: BillingInterval | null;
  readonly amountCents: number;
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
  /** Empty: none. */
  readonly documentUrl: string;
}

/** Invoices of a tenant, newest first, behind a place. */
export async function listInvoices(
  pool: Pool,
  tenantId: string,
  limit: number,
  after: { readonly atMs: number; readonly id: string } | null,
): Promise<Invoice[]> {
  const place = after === null ? 'true' : '(created_at, id) < ($3, $4)';
  const values = after === null ? [] : [new Date(after.atMs), after.id];
  const { rows } = await pool.query<InvoiceRow>(
    `SELECT id, order_id, provider, status, plan_id, billing_interval, amount_cents, created_at, document_url FROM invoice
     WHERE tenant_id = $1 AND ${place} ORDER BY created_at DESC, id DESC LIMIT $2`,
    [tenantId, limit, ...values],
  );
  return rows.map((row) => ({
    id: row.id,
    orderId: row.order_id,
    provider: row.provider,
    status: row.status,
    planId: row.plan_id,
    interval: row.billing_interval,
    amountCents: row.amount_cents,
    createdMs: row.created_at.getTime(),
    documentUrl: row.document_url,
  }));
}

interface InvoiceRow {
  readonly id: string;
  readonly order_id: string;
  readonly provider: ProviderName;
  readonly status: Invoice['status'];
  readonly plan_id: Invoice['planId'];
  readonly billing_interval: BillingInterval | null;
  readonly amount_cents: number;
  readonly created_at: Date;
  readonly document_url: string;
}
