import type { webhook } from '@market-state/contracts';
import { notFound, resourceExhausted } from '@market-state/errors';
import { inTransaction, type Queryable } from '@market-state/postgres';
import { limitsOf } from '@market-state/pricing';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import type { Pool } from 'pg';
import { newId } from '../ids';
import {
  changeSearch,
  countSearches,
  findSearch,
  findSearchOfOperation,
  insertSearch,
  listSearches,
  lockTenantSearches,
  removeSearch,
  type SavedSearch,
  type SavedSearchKey,
} from '../store/searches';
import { nameFaults, pageOf } from './request-faults';

export interface SearchDeps {
  readonly pool: Pool;
  readonly clock: () => number;
}

interface SearchOrder extends Pick<SavedSearch, 'tenantId' | 'name' | 'query'> {
  readonly planId: string;
  readonly operationId: string;
}

function showSearch({ savedSearchId, name, query, createdMs, updatedMs }: SavedSearch): webhook.SavedSearch {
  return { savedSearchId, name, query: { ...query }, createdMs, updatedMs };
}

/** @throws ServiceError `unknown_saved_search`, also for another tenant's search */
function requireSearch(found: SavedSearch | undefined): SavedSearch {
  if (found !== undefined) return found;
  throw notFound('unknown_saved_search', 'There is no such saved search.');
}

const keyFaults = ({ tenantId, savedSearchId }: SavedSearchKey) => [
  ...idFaults('tenant_id', tenantId),
  ...idFaults('saved_search_id', savedSearchId),
];

export async function createSavedSearch(
  deps: SearchDeps,
  request: webhook.CreateSavedSearchRequest,
): Promise<webhook.CreateSavedSearchResponse> {
  const { tenantId, planId, operationId, name, query = {} } = request;
  refuseFaults(idFaults('tenant_id', tenantId), idFaults('plan_id', planId), idFaults('operation_id', operationId), nameFaults(name));
  return { savedSearch: showSearch(await createSearch(deps, { tenantId, planId, operationId, name, query })) };
}

/**
 * A repeated call returns the search it created.
 * @throws ServiceError `too_many_saved_searches`
 */
async function createSearch({ pool, clock }: SearchDeps, order: SearchOrder): Promise<SavedSearch> {
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
  throw resourceExhausted('too_many_saved_searches', `The plan allows ${most} saved searches, and all are in use. Delete one first.`, {
    metadata: { limit: String(most) },
  });
}

export async function getSavedSearch(
  { pool }: SearchDeps,
  request: webhook.GetSavedSearchRequest,
): Promise<webhook.GetSavedSearchResponse> {
  refuseFaults(keyFaults(request));
  return { savedSearch: showSearch(requireSearch(await findSearch(pool, request))) };
}

export async function listSavedSearches(
  deps: SearchDeps,
  request: webhook.ListSavedSearchesRequest,
): Promise<webhook.ListSavedSearchesResponse> {
  const { tenantId } = request;
  const { page, nextPageToken } = await pageOf(
    ['s1', tenantId],
    request,
    idFaults('tenant_id', tenantId),
    (of) => listSearches(deps.pool, tenantId, of),
    ({ createdMs, savedSearchId }) => ({ atMs: createdMs, id: savedSearchId }),
  );
  return { savedSearches: page.map(showSearch), nextPageToken };
}

export async function updateSavedSearch(
  { pool, clock }: SearchDeps,
  request: webhook.UpdateSavedSearchRequest,
): Promise<webhook.UpdateSavedSearchResponse> {
  const { name, query } = request;
  refuseFaults(keyFaults(request), name === undefined ? [] : nameFaults(name));
  return { savedSearch: showSearch(requireSearch(await changeSearch(pool, request, { name, query }, clock()))) };
}

export async function deleteSavedSearch(
  { pool }: SearchDeps,
  request: webhook.DeleteSavedSearchRequest,
): Promise<webhook.DeleteSavedSearchResponse> {
  refuseFaults(keyFaults(request));
  return { savedSearch: showSearch(requireSearch(await removeSearch(pool, request))) };
}
