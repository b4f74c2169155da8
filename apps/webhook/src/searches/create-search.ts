import { resourceExhausted } from '@market-state/errors';
import { inTransaction, type Queryable } from '@market-state/postgres';
import { limitsOf } from '@market-state/pricing';
import { newId } from '../ids';
import { countSearches, findSearchOfOperation, insertSearch, lockTenantSearches } from '../store/searches';
import type { SavedSearch, SearchDeps } from './saved-search';

/** A search that is to be kept. */
export interface SearchOrder extends Pick<SavedSearch, 'tenantId' | 'name' | 'query'> {
  readonly planId: string;
  readonly operationId: string;
}

/**
 * Keeps a search; the same call again gives the one that it made before.
 * @throws ServiceError RESOURCE_EXHAUSTED `too_many_saved_searches`
 */
export async function createSearch({ pool, clock }: SearchDeps, order: SearchOrder): Promise<SavedSearch> {
  const { tenantId, name, query, operationId } = order;
  const nowMs = clock();
  return inTransaction(pool, async (client) => {
    await lockTenantSearches(client, tenantId);
    const earlier = await findSearchOfOperation(client, tenantId, operationId);
    if (earlier !== undefined) return earlier;
    await refuseTooMany(client, order);
    const search = { savedSearchId: newId('ss'), tenantId, name, query, createdMs: nowMs, updatedMs: nowMs };
    await insertSearch(client, search, operationId);
    return search;
  });
}

async function refuseTooMany(on: Queryable, { tenantId, planId }: SearchOrder): Promise<void> {
  const most = limitsOf(planId).savedSearches;
  if ((await countSearches(on, tenantId)) < most) return;
  throw resourceExhausted('too_many_saved_searches', `The plan allows ${most} saved searches, and all are in use: delete one first.`, {
    metadata: { limit: String(most) },
  });
}
