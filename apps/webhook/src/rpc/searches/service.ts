import { webhook } from '@market-state/contracts';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import type { SearchDeps } from '../../searches/saved-search';
import { orUnavailable } from '../database-error';
import { createSavedSearch } from './create-search';
import { listSavedSearches } from './list-searches';
import { deleteSavedSearch, getSavedSearch, updateSavedSearch } from './one-search';

export function bindSavedSearchService(deps: SearchDeps): BoundService {
  const handlers = { createSavedSearch, getSavedSearch, listSavedSearches, updateSavedSearch, deleteSavedSearch };
  return bindService(webhook.SavedSearchServiceService, withDeps(deps, handlers), orUnavailable);
}
