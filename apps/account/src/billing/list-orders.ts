import { notFound } from '@market-state/errors';
import type { Pool } from 'pg';
import type { ListedOrder, OrderFilter } from '../store/orders';
import { hasTenant } from '../store/tenants';
import * as store from '../store/orders';

/** Orders, oldest first. @throws ServiceError NOT_FOUND with reason `unknown_tenant` */
export async function listOrders(pool: Pool, filter: OrderFilter): Promise<ListedOrder[]> {
  if (filter.tenantId !== null && !(await hasTenant(pool, filter.tenantId))) throw notFound('unknown_tenant', 'There is no such tenant.');
  return store.listOrders(pool, filter);
}
