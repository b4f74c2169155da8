import { newId } from '@market-state/credentials';
import { failedPrecondition, notFound } from '@market-state/errors';
import { inTransaction } from '@market-state/postgres';
import type { PoolClient, Pool } from 'pg';
import { grantPlan, grantTopup } from '../credits';
import { insertInvoice } from '../store/invoices';
import { markFulfilled, lockOrder } from '../store/orders';
import type { Order } from './order';

const NO_OWN_CREDITS = { market_state: null, export: null };

const ORDER_ID_PATTERN = /^ord_[0-9a-z]{26}$/;

export interface FulfilDeps {
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}

interface ApproveDeps extends FulfilDeps {
  readonly pool: Pool;
}

/**
 * Grants an order's credits or plan, in the transaction that locks the order.
 * @returns false if it was already fulfilled
 */
export async function fulfilOrder(client: PoolClient, order: Order, nowMs: number): Promise<boolean> {
  if (order.status === 'fulfilled') return false;
  await markFulfilled(client, order.id, nowMs);
  if (order.planId === 'topup') {
    await grantTopup(client, order.tenantId, { operationId: order.id, nowMs });
    return true;
  }
  await grantPaidMonths(client, order, order.planId, order.id, nowMs);
  return true;
}

/**
 * Adds a further period to the order's plan.
 * @param periodFromMs start of the period, which makes the call idempotent
 */
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

interface InvoiceEntry {
  readonly status: 'paid' | 'approved';
  readonly amountCents: number;
  readonly createdMs: number;
  readonly documentUrl: string;
  readonly providerInvoiceId: string | null;
}

export async function writeInvoice(client: PoolClient, { randomBytes }: FulfilDeps, order: Order, entry: InvoiceEntry): Promise<void> {
  const { tenantId, id: orderId, provider, planId, interval } = order;
  await insertInvoice(client, { ...entry, id: newId('inv', randomBytes), tenantId, orderId, provider, planId, interval });
}

/**
 * Fulfils an order of the offline provider, once.
 * @throws ServiceError `unknown_order` or `order_not_open`
 */
export function approveOrder(deps: ApproveDeps, orderId: string): Promise<{ readonly order: Order; readonly isFulfilledNow: boolean }> {
  return inTransaction(deps.pool, async (client) => {
    const order = ORDER_ID_PATTERN.test(orderId) ? await lockOrder(client, orderId) : undefined;
    if (order === undefined || order.provider !== 'offline')
      throw notFound('unknown_order', 'There is no such order of the offline provider.');
    if (order.status !== 'open' && order.status !== 'fulfilled')
      throw failedPrecondition('order_not_open', `The order is ${order.status}.`);
    const nowMs = deps.clock();
    const isFulfilledNow = await fulfilOrder(client, order, nowMs);
    if (isFulfilledNow) {
      const { amountCents } = order;
      await writeInvoice(client, deps, order, {
        status: 'approved',
        amountCents,
        createdMs: nowMs,
        documentUrl: '',
        providerInvoiceId: null,
      });
    }
    return { order, isFulfilledNow };
  });
}
