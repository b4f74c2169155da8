import type { account } from '@market-state/contracts';
import type { Order } from '../../billing/order';

export function toProtoOrder(order: Order): account.Order {
  return {
    orderId: order.id,
    provider: order.provider,
    status: order.status,
    planId: order.planId,
    billingInterval: order.interval ?? '',
    amountCents: order.amountCents,
    checkoutUrl: order.checkoutUrl,
    createdTsMs: order.createdMs,
    expiresTsMs: order.expiresMs ?? 0,
  };
}
