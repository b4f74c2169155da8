import { notFound } from '@market-state/errors';
import type { Queryable } from '@market-state/postgres';
import { hasKey } from '../store/keys';
import type { WorkOf } from './with-book';

/** @throws ServiceError NOT_FOUND with reason `unknown_key` for another tenant's key as for one that never was */
export async function refuseStrangeKey(on: Queryable, { tenantId, keyId }: WorkOf): Promise<void> {
  if (keyId !== null && !(await hasKey(on, tenantId, keyId))) throw notFound('unknown_key', 'There is no such key.');
}
