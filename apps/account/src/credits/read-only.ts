import { notFound } from '@market-state/errors';
import { inTransaction } from '@market-state/postgres';
import type { PoolClient } from 'pg';
import { hasTenant } from '../store/tenants';
import type { Credits } from './credits';

/** Reads something of a tenant without holding it. @throws ServiceError NOT_FOUND with reason `unknown_tenant` */
export function readOnly<T>({ pool }: Credits, tenantId: string, read: (client: PoolClient) => Promise<T>): Promise<T> {
  return inTransaction(pool, async (client) => {
    if (!(await hasTenant(client, tenantId))) throw notFound('unknown_tenant', 'There is no such tenant.');
    return read(client);
  });
}
