import type { Upstreams } from '../../../clients/upstreams';
import {
  createSavedSearch,
  deleteSavedSearch,
  getSavedSearch,
  getSavedSearchResults,
  listSavedSearches,
  updateSavedSearch,
} from './saved-searches';

/** Saved searches, by operation id. */
export function savedSearchHandlers(upstreams: Upstreams, now: () => number) {
  return {
    listSavedSearches: listSavedSearches(upstreams),
    createSavedSearch: createSavedSearch(upstreams),
    getSavedSearch: getSavedSearch(upstreams),
    updateSavedSearch: updateSavedSearch(upstreams),
    deleteSavedSearch: deleteSavedSearch(upstreams),
    getSavedSearchResults: getSavedSearchResults(upstreams, now),
  };
}
