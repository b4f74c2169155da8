import { notFound } from '@market-state/errors';
import type { SavedSearch } from './saved-search';

/** @throws ServiceError NOT_FOUND `unknown_saved_search` for one that was not found, as is another tenant's */
export function requireSearch(found: SavedSearch | undefined): SavedSearch {
  if (found !== undefined) return found;
  throw notFound('unknown_saved_search', 'There is no such saved search.');
}
