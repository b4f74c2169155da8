import type { PoolClient } from 'pg';
import { grantPlan, grantTopup } from '../credits';
import { newId } from '../keys/id';
import { fromOrderRow, type Order, ORDER_COLUMNS, type OrderRow } from './order';

const NO_OWN_CREDITS = { market_state: null, export: null };

/** What fulfilment needs of the service. */
export interface FulfilDeps {
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** The order, locked until the transaction ends; undefined when there is none. Whoever changes an order holds it first. */
export async function lockOrder(client: PoolClient, orderId: string): Promise<Order | undefined> {
  const { rows } = await client.query<OrderRow>(`SELECT ${ORDER_COLUMNS} FROM billing_order WHERE id = $1 FOR UPDATE`, [orderId]);
  return rows[0] === undefined ? undefined : fromOrderRow(rows[0]);
}

/**
 * Gives what an order is for, once: a top-up's credits, or the plan for the months of its interval, with the credits of the first one. In
 * the transaction that holds the order.
 * @returns whether this call did it; false: it was done before
 */
export async function fulfilOrder(client: PoolClient, order: Order, nowMs: number): Promise<boolean> {
  if (order.status === 'fulfilled') return false;
  await client.query(`UPDATE billing_order SET status = 'fulfilled', fulfilled_at = $2 WHERE id = $1`, [order.id, new Date(nowMs)]);
  if (order.planId === 'topup') {
    await grantTopup(client, order.tenantId, { operationId: order.id, nowMs });
    return true;
  }
  await grantPaidMonths(client, order, order.planId, order.id, nowMs);
  return true;
}

/** Adds a further period to the plan that the order began. @param periodFromMs start of the period, the same however often it is told */
export async function fulfilPeriod(client: PoolClient, order: Order, periodFromMs: number, nowMs: number): Promise<boolean> {
  if (order.planId === 'topup') return false;
  return grantPaidMonths(client, order, order.planId, `${order.id}:${new Date(periodFromMs).toISOString()}`, nowMs);
}

function grantPaidMonths(
  client: PoolClient,
  order: Order,
  planId: Exclude<Order['planId'], 'topup'>,
  operationId: string,
  nowMs: number,
): Promise<boolean> {
  const months = order.interval === 'year' ? 12 : 1;
  return grantPlan(client, order.tenantId, { planId, renewal: 'monthly', operationId, months, ownCredits: NO_OWN_CREDITS, nowMs });
}

/** A paid or approved bill of an order. */
export interface InvoiceEntry {
  readonly status: 'paid' | 'approved';
  readonly amountCents: number;
  readonly createdMs: number;
  readonly documentUrl: string;
  /** Null: the order's only one. */
  readonly providerInvoiceId: string | null;
}

/** Writes an invoice; one of the provider that is there already is left so. */
export async function writeInvoice(client: PoolClient, { randomBytes }: FulfilDeps, order: Order, entry: InvoiceEntry): Promise<void> {
  const { status, amountCents, createdMs, documentUrl, providerInvoiceId } = entry;
  await client.query(
    `INSERT INTO invoice (id, tenant_id, order_id, provider, status, plan_id, billing_interval, amount_cents, created_at, document_url,
      provider_invoice_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (provider_invoice_id) DO NOTHING`,
    [
      newId('inv', randomBytes),
      order.tenantId,
      order.id,
      order.provider,
      status,
      order.planId,
      order.interval,
      amountCents,
      new Date(createdMs),
      documentUrl,
      providerInvoiceId,
    ],
  );
}
