import type { account } from '@market-state/contracts';
import { invalidArgument } from '@market-state/errors';
import { optionalIdFaults } from '@market-state/request-checks';
import { ORDER_STATUSES } from '../../billing/order';
import type { ListedOrder } from '../../store/orders';
import { toProtoOrder } from '../billing/wire';
import { decodeCursor, encodeCursor, pageFaults } from '../page';
import type { OperatorDeps } from './ensure-tenant';
import * as billing from '../../billing/list-orders';

export async function listOrders({ pool }: OperatorDeps, request: account.ListOrdersRequest): Promise<account.ListOrdersResponse> {
  const { tenantId, limit } = request;
  const after = decodeCursor('o1', request.cursor);
  const status = ORDER_STATUSES.find((word) => word === request.status) ?? null;
  const faults = [
    ...optionalIdFaults('tenant_id', tenantId),
    ...(status === null && request.status !== ''
      ? [{ field: 'status', message: `must be empty or one of ${ORDER_STATUSES.join(', ')}`, type: 'enum' }]
      : []),
    ...pageFaults(limit, after),
  ];
  if (faults.length > 0) throw invalidArgument(faults);
  const orders = await billing.listOrders(pool, {
    tenantId: tenantId === '' ? null : tenantId,
    status,
    limit: limit + 1,
    after: after ?? null,
  });
  const page = orders.slice(0, limit);
  const last = orders.length > limit ? page.at(-1) : undefined;
  return {
    orders: page.map(toProtoListed),
    nextCursor: last === undefined ? '' : encodeCursor('o1', { atMs: last.createdMs, id: last.id }),
  };
}

function toProtoListed(order: ListedOrder): account.OperatorOrder {
  return { order: toProtoOrder(order), tenantId: order.tenantId, tenantName: order.tenantName, fulfilledTsMs: order.fulfilledMs ?? 0 };
}
