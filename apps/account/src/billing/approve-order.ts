import { failedPrecondition, notFound } from '@market-state/errors';
import { inTransaction } from '@market-state/postgres';
import type { Pool } from 'pg';
import { lockOrder } from '../store/orders';
import { type FulfilDeps, fulfilOrder, writeInvoice } from './fulfil-order';
import type { Order } from './order';

const ORDER_ID_PATTERN = /^ord_[0-9a-z]{26}$/;

export interface ApproveDeps extends FulfilDeps {
  readonly pool: Pool;
}

/** Fulfils an order of the offline provider, once. @throws ServiceError with reason `unknown_order` or `order_not_open` */
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
