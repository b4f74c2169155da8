import { notFound } from '@market-state/errors';
import type { Pool } from 'pg';
import { newId } from '../keys/id';
import type { Item } from './catalogue';
import { fromOrderRow, type Order, ORDER_COLUMNS, type OrderRow } from './order';
import type { BillingProvider } from './provider';

const FOREIGN_KEY_VIOLATION = '23503';

export interface CheckoutDeps {
  readonly pool: Pool;
  readonly provider: BillingProvider;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}

export interface CheckoutRequest {
  readonly tenantId: string;
  /** Null for a key. */
  readonly accountId: string | null;
  readonly item: Item;
  readonly references: Readonly<Record<string, string>>;
}

/**
 * Records an order, then opens its checkout. When that fails the order stays without an address: nobody can pay it. When what the provider
 * answered is lost on the way, a payment still finds the order, which the provider knows by its id.
 * @throws ServiceError with reason `unknown_tenant` or `billing_provider_unavailable`
 */
export async function createCheckout(deps: CheckoutDeps, request: CheckoutRequest): Promise<Order> {
  const { tenantId, item } = request;
  const orderId = await insertOrder(deps, request);
  const { checkoutUrl, expiresMs } = await deps.provider.openCheckout({ orderId, tenantId, item });
  const { rows } = await deps.pool.query<OrderRow>(`UPDATE billing_order SET checkout_url = $2, expires_at = $3 WHERE id = $1 RETURNING ${ORDER_COLUMNS}`, [
    orderId,
    checkoutUrl,
    expiresMs === null ? null : new Date(expiresMs),
  ]);
  if (rows[0] === undefined) throw notFound('unknown_order', 'There is no such order.');
  return fromOrderRow(rows[0]);
}

async function insertOrder({ pool, provider, clock, randomBytes }: CheckoutDeps, request: CheckoutRequest): Promise<string> {
  const { tenantId, accountId, item, references } = request;
  const orderId = newId('ord', randomBytes);
  const inserted = pool.query(
    `INSERT INTO billing_order (id, tenant_id, account_id, provider, status, plan_id, billing_interval, amount_cents, caller_references, checkout_url, created_at)
     VALUES ($1, $2, $3, $4, 'open', $5, $6, $7, $8, '', $9)`,
    [orderId, tenantId, accountId, provider.name, item.planId, item.interval, item.amountCents, JSON.stringify(references), new Date(clock())],
  );
  await inserted.catch((error: Error & { readonly code?: string }) => {
    throw error.code === FOREIGN_KEY_VIOLATION ? notFound('unknown_tenant', 'There is no such tenant.') : error;
  });
  return orderId;
}
