import type { webhook } from '@market-state/contracts';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import { nameFaults } from '../name-faults';
import { requireSearch } from '../../searches/require-search';
import type { SavedSearchKey, SearchDeps } from '../../searches/saved-search';
import { changeSearch, findSearch, removeSearch } from '../../store/searches';
import { showSearch } from './show-search';

const keyFaults = ({ tenantId, savedSearchId }: SavedSearchKey) => [
  ...idFaults('tenant_id', tenantId),
  ...idFaults('saved_search_id', savedSearchId),
];

export async function getSavedSearch(
  { pool }: SearchDeps,
  request: webhook.GetSavedSearchRequest,
): Promise<webhook.GetSavedSearchResponse> {
  refuseFaults(keyFaults(request));
  return { savedSearch: showSearch(requireSearch(await findSearch(pool, request))) };
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
