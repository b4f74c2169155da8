import type { webhook } from '@market-state/contracts';
import { notFound, resourceExhausted } from '@market-state/errors';

/** Saved searches per tenant. */
const SEARCHES_MAX = 50;

/** Present from the start, for the first tenant: one to read, and one that is restored after each delete. */
export const KEPT_SEARCH = 'ss_kept';
export const SPARE_SEARCH = 'ss_spare';

interface Entry {
  readonly tenantId: string;
  readonly operationId: string;
  search: webhook.SavedSearch;
}

/** In-memory saved searches with the service's calls. */
export function createStandInSearches(now: () => number) {
  const kept: Entry[] = [];
  const keep = (tenantId: string, operationId: string, id: string, name: string, query: webhook.SavedSearch['query']): Entry => {
    const entry = { tenantId, operationId, search: { savedSearchId: id, name, query, createdMs: now(), updatedMs: now() } };
    kept.push(entry);
    return entry;
  };
  for (const id of [KEPT_SEARCH, SPARE_SEARCH]) keep('ten_1', id, id, 'kept', {});

  const find = ({ tenantId, savedSearchId }: webhook.GetSavedSearchRequest): Entry => {
    const found = kept.find((entry) => entry.tenantId === tenantId && entry.search.savedSearchId === savedSearchId);
    if (found === undefined) throw notFound('unknown_saved_search', 'There is no such saved search.');
    return found;
  };

  return {
    async createSavedSearch({ tenantId, operationId, name, query }: webhook.CreateSavedSearchRequest) {
      const earlier = kept.find((entry) => entry.operationId === operationId);
      if (earlier !== undefined) return { savedSearch: earlier.search };
      if (kept.filter((entry) => entry.tenantId === tenantId).length >= SEARCHES_MAX)
        throw resourceExhausted('too_many_saved_searches', 'The plan allows no more.', { metadata: { limit: String(SEARCHES_MAX) } });
      return { savedSearch: keep(tenantId, operationId, `ss_${kept.length + 1}`, name, query).search };
    },
    getSavedSearch: async (request: webhook.GetSavedSearchRequest) => ({ savedSearch: find(request).search }),
    listSavedSearches: async ({ tenantId }: webhook.ListSavedSearchesRequest) => ({
      savedSearches: kept
        .filter((entry) => entry.tenantId === tenantId)
        .map(({ search }) => search)
        .reverse(),
      nextPageToken: '',
    }),
    async updateSavedSearch(request: webhook.UpdateSavedSearchRequest) {
      const found = find(request);
      const { name = found.search.name, query = found.search.query } = request;
      found.search = { ...found.search, name, query };
      return { savedSearch: found.search };
    },
    async deleteSavedSearch(request: webhook.DeleteSavedSearchRequest) {
      const found = find(request);
      if (found.search.savedSearchId !== SPARE_SEARCH) kept.splice(kept.indexOf(found), 1);
      return { savedSearch: found.search };
    },
  };
}
