import { notFound } from '@market-state/errors';
import type { Pool } from 'pg';
import { fromOrderRow, type Order, ORDER_COLUMNS, type OrderRow, type OrderStatus } from './order';

export interface OrderFilter {
  /** Null: of every tenant. */
  readonly tenantId: string | null;
  /** Null: any. */
  readonly status: OrderStatus | null;
  readonly limit: number;
  /** Behind the order made then, with that id; null: from the first. */
  readonly after: { readonly atMs: number; readonly id: string } | null;
}

/** An order as its operator sees it. */
export interface ListedOrder extends Order {
  readonly tenantName: string;
  /** Milliseconds since the epoch; null: not yet. */
  readonly fulfilledMs: number | null;
}

const COLUMNS = ORDER_COLUMNS.split(', ')
  .map((column) => `o.${column}`)
  .join(', ');

/** Orders, oldest first. @throws ServiceError NOT_FOUND with reason `unknown_tenant` */
export async function listOrders(pool: Pool, { tenantId, status, limit, after }: OrderFilter): Promise<ListedOrder[]> {
  if (tenantId !== null) await requireTenant(pool, tenantId);
  const { rows } = await pool.query<OrderRow & { readonly tenant_name: string; readonly fulfilled_at: Date | null }>(
    `SELECT ${COLUMNS}, o.fulfilled_at, t.name AS tenant_name FROM billing_order o JOIN tenant t ON t.id = o.tenant_id
     WHERE ($2::text IS NULL OR o.tenant_id = $2) AND ($3::order_status IS NULL OR o.status = $3)
       AND ($4::timestamptz IS NULL OR (o.created_at, o.id) > ($4, $5))
     ORDER BY o.created_at, o.id LIMIT $1`,
    [limit, tenantId, status, after === null ? null : new Date(after.atMs), after?.id ?? null],
  );
  return rows.map((row) => ({ ...fromOrderRow(row), tenantName: row.tenant_name, fulfilledMs: row.fulfilled_at?.getTime() ?? null }));
}

async function requireTenant(pool: Pool, tenantId: string): Promise<void> {
  const { rowCount } = await pool.query('SELECT FROM tenant WHERE id = $1', [tenantId]);
  if (rowCount === 0) throw notFound('unknown_tenant', 'There is no such tenant.');
}
