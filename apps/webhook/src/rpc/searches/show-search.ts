import type { webhook } from '@market-state/contracts';
import type { SavedSearch } from '../../searches/saved-search';

export function showSearch({ savedSearchId, name, query, createdMs, updatedMs }: SavedSearch): webhook.SavedSearch {
  return { savedSearchId, name, query: { ...query }, createdMs, updatedMs };
}
