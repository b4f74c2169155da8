import type { account } from '@market-state/contracts';
import { approveOrder } from '../../billing/approve-order';
import type { OperatorDeps } from './ensure-tenant';

export function createApproveOrder(deps: OperatorDeps) {
  return async function approveOrderRpc({ orderId }: account.ApproveOrderRequest): Promise<account.ApproveOrderResponse> {
    const { order, isFulfilledNow } = await approveOrder(deps, orderId);
    deps.logger.info({ order_id: orderId, tenant_id: order.tenantId, fulfilled_now: isFulfilledNow }, 'order approved');
    return { tenantId: order.tenantId, planId: order.planId, fulfilledNow: isFulfilledNow };
  };
}
