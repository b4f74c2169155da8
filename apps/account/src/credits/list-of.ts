import type { Queryable } from '@market-state/postgres';
import { hasTenant } from '../store/tenants';
import type { Credits } from './credits';
import { refuseStrangeKey } from './refuse-strange-key';
import { noSuchTenant, type WorkOf } from './with-book';

/**
 * Lists something of a tenant, of a key of it if one is named. Whoever has something exists: that is asked only where nothing is found or
 * a key is named.
 * @throws ServiceError NOT_FOUND with reason `unknown_tenant`, `unknown_key`
 */
export async function listOf<T>(
  { pool }: Pick<Credits, 'pool'>,
  work: WorkOf,
  list: (on: Queryable) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  if (work.keyId !== null) await refuseStranger(pool, work);
  const found = await list(pool);
  if (found.length === 0 && work.keyId === null) await refuseStranger(pool, work);
  return found;
}

async function refuseStranger(on: Queryable, work: WorkOf): Promise<void> {
  if (!(await hasTenant(on, work.tenantId))) throw noSuchTenant();
  await refuseStrangeKey(on, work);
}
