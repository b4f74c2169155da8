import type { account } from '@market-state/contracts';
import type { OperatorDeps } from './ensure-tenant';
import * as billing from '../../billing/approve-order';

export async function approveOrder(deps: OperatorDeps, { orderId }: account.ApproveOrderRequest): Promise<account.ApproveOrderResponse> {
  const { order, isFulfilledNow } = await billing.approveOrder(deps, orderId);
  deps.logger.info({ order_id: orderId, tenant_id: order.tenantId, fulfilled_now: isFulfilledNow }, 'order approved');
  return { tenantId: order.tenantId, planId: order.planId, fulfilledNow: isFulfilledNow };
}
