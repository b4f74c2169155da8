import { type Queryable, run } from '@market-state/postgres';
import { type Selectable, sql } from 'kysely';
import type { Order, OrderStatus, ProviderName } from '../billing/order';
import type { BillingOrder } from './generated/tables';
import type { PageStart } from './page-starts';
import { tables } from './tables';

const COLUMNS = [
  'id',
  'tenant_id',
  'provider',
  'status',
  'plan_id',
  'billing_interval',
  'amount_cents',
  'checkout_url',
  'created_at',
  'expires_at',
  'subscription_id',
] as const;

type OrderRow = Pick<Selectable<BillingOrder>, (typeof COLUMNS)[number]>;

interface NewOrder {
  readonly id: string;
  readonly tenantId: string;
  readonly accountId: string | null;
  readonly provider: ProviderName;
  readonly planId: Order['planId'];
  readonly interval: Order['interval'];
  readonly amountCents: number;
  readonly references: Readonly<Record<string, string>>;
  readonly createdMs: number;
  readonly operationId: string | null;
}

/** Writes an open order, once per operation. @returns the operation's order, possibly from an earlier call */
export async function insertOrder(on: Queryable, order: NewOrder): Promise<Order | undefined> {
  const { rows } = await run(
    on,
    tables
      .insertInto('billing_order')
      .values({
        id: order.id,
        tenant_id: order.tenantId,
        account_id: order.accountId,
        provider: order.provider,
        status: 'open',
        plan_id: order.planId,
        billing_interval: order.interval,
        amount_cents: order.amountCents,
        caller_references: JSON.stringify(order.references),
        checkout_url: '',
        created_at: new Date(order.createdMs),
        operation_id: order.operationId,
      })
      .onConflict((conflict) =>
        conflict.columns(['tenant_id', 'operation_id']).doUpdateSet((update) => ({ operation_id: update.ref('excluded.operation_id') })),
      )
      .returning(COLUMNS),
  );
  return rows[0] === undefined ? undefined : fromRow(rows[0]);
}

export async function lockOrder(on: Queryable, orderId: string): Promise<Order | undefined> {
  const { rows } = await run(on, tables.selectFrom('billing_order').select(COLUMNS).where('id', '=', orderId).forUpdate());
  return rows[0] === undefined ? undefined : fromRow(rows[0]);
}

export async function writeCheckout(
  on: Queryable,
  orderId: string,
  checkoutUrl: string,
  expiresMs: number | null,
): Promise<Order | undefined> {
  const { rows } = await run(
    on,
    tables
      .updateTable('billing_order')
      .set({ checkout_url: checkoutUrl, expires_at: expiresMs === null ? null : new Date(expiresMs) })
      .where('id', '=', orderId)
      .returning(COLUMNS),
  );
  return rows[0] === undefined ? undefined : fromRow(rows[0]);
}

export async function markFulfilled(on: Queryable, orderId: string, nowMs: number): Promise<void> {
  await run(
    on,
    tables
      .updateTable('billing_order')
      .set({ status: 'fulfilled', fulfilled_at: new Date(nowMs) })
      .where('id', '=', orderId),
  );
}

export async function closeOrder(on: Queryable, orderId: string, status: 'expired' | 'cancelled'): Promise<void> {
  await run(on, tables.updateTable('billing_order').set({ status }).where('id', '=', orderId).where('status', '=', 'open'));
}

export async function writeSubscription(on: Queryable, orderId: string, subscriptionId: string): Promise<void> {
  await run(
    on,
    tables
      .updateTable('billing_order')
      .set({ subscription_id: subscriptionId })
      .where('id', '=', orderId)
      .where('subscription_id', 'is', null),
  );
}

export async function markSubscriptionEnded(on: Queryable, orderId: string, endedMs: number): Promise<void> {
  await run(
    on,
    tables
      .updateTable('billing_order')
      .set({ ended_at: sql<Date>`coalesce(ended_at, ${new Date(endedMs)})` })
      .where('id', '=', orderId),
  );
}

export interface RunningSubscription {
  readonly orderId: string;
  readonly subscriptionId: string;
  readonly planId: string;
}

/** Subscriptions that have not ended as far as the provider has reported. */
export async function listRunningSubscriptions(on: Queryable, tenantId: string): Promise<RunningSubscription[]> {
  const { rows } = await run(
    on,
    tables
      .selectFrom('billing_order')
      .select(['id', 'subscription_id', 'plan_id'])
      .where('tenant_id', '=', tenantId)
      .where('plan_id', '<>', 'topup')
      .where('status', '=', 'fulfilled')
      .where('subscription_id', 'is not', null)
      .where('ended_at', 'is', null)
      .orderBy('fulfilled_at')
      .orderBy('id')
      .$narrowType<{ subscription_id: string }>(),
  );
  return rows.map((row) => ({ orderId: row.id, subscriptionId: row.subscription_id, planId: row.plan_id }));
}

const PLAN_ORDERS = `SELECT id, subscription_id, ended_at, row_number() OVER (ORDER BY fulfilled_at DESC, id DESC) AS rank
  FROM billing_order WHERE tenant_id = $1 AND plan_id <> 'topup' AND status = 'fulfilled'`;

export async function findNewestPlanOrder(on: Queryable, tenantId: string): Promise<string | undefined> {
  const { rows } = await on.query<{ id: string }>(`SELECT id FROM (${PLAN_ORDERS}) AS orders WHERE rank = 1`, [tenantId]);
  return rows[0]?.id;
}

/** Active subscriptions of all plan orders except the most recently fulfilled one. */
export async function listReplacedSubscriptions(on: Queryable, tenantId: string): Promise<string[]> {
  const { rows } = await on.query<{ subscription_id: string }>(
    `SELECT subscription_id FROM (${PLAN_ORDERS}) AS orders WHERE rank > 1 AND subscription_id IS NOT NULL AND ended_at IS NULL`,
    [tenantId],
  );
  return rows.map((row) => row.subscription_id);
}

/** Newest first, after `after`. */
export async function listTenantOrders(on: Queryable, tenantId: string, limit: number, after: PageStart | null): Promise<Order[]> {
  const ofTenant = tables.selectFrom('billing_order').select(COLUMNS).where('tenant_id', '=', tenantId);
  const behind = after === null ? ofTenant : ofTenant.where(sql<boolean>`(created_at, id) < (${new Date(after.atMs)}, ${after.id})`);
  const { rows } = await run(on, behind.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit));
  return rows.map(fromRow);
}

export interface OrderFilter {
  readonly tenantId: string | null;
  readonly status: OrderStatus | null;
  readonly limit: number;
  readonly after: PageStart | null;
}

export interface ListedOrder extends Order {
  readonly tenantName: string;
  readonly fulfilledMs: number | null;
}

const LIST = `
  SELECT ${COLUMNS.map((column) => `o.${column}`).join(', ')}, o.fulfilled_at, t.name AS tenant_name
  FROM billing_order o JOIN tenant t ON t.id = o.tenant_id
  WHERE ($2::text IS NULL OR o.tenant_id = $2) AND ($3::order_status IS NULL OR o.status = $3)
    AND ($4::timestamptz IS NULL OR (o.created_at, o.id) > ($4, $5))
  ORDER BY o.created_at, o.id LIMIT $1`;

export async function listOrders(on: Queryable, { tenantId, status, limit, after }: OrderFilter): Promise<ListedOrder[]> {
  const { rows } = await on.query<OrderRow & { readonly tenant_name: string; readonly fulfilled_at: Date | null }>(LIST, [
    limit,
    tenantId,
    status,
    after === null ? null : new Date(after.atMs),
    after?.id ?? null,
  ]);
  return rows.map((row) => ({ ...fromRow(row), tenantName: row.tenant_name, fulfilledMs: row.fulfilled_at?.getTime() ?? null }));
}

function fromRow(row: OrderRow): Order {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    provider: row.provider,
    status: row.status,
    planId: row.plan_id as Order['planId'],
    interval: row.billing_interval,
    amountCents: row.amount_cents,
    checkoutUrl: row.checkout_url,
    createdMs: row.created_at.getTime(),
    expiresMs: row.expires_at?.getTime() ?? null,
    subscriptionId: row.subscription_id,
  };
}
