import type { webhook as contract } from '@market-state/contracts';
import { internal } from '@market-state/errors';
import { toUtc } from '../../../serving/meta/instant';
import type { Described } from '../../../serving/openapi/described';

const BASE = '/api/public/market-state/saved-searches';

/** A saved search as it is shown. */
export function showSearch(search: contract.SavedSearch | undefined): Described<'SavedSearchRecord'> {
  if (search === undefined) throw internal({ detail: 'the webhook service told no saved search' });
  const { savedSearchId, name, query = {}, createdMs, updatedMs } = search;
  const self = `${BASE}/${savedSearchId}`;
  return {
    saved_search_id: savedSearchId,
    name,
    query,
    created_at_utc: toUtc(createdMs),
    updated_at_utc: toUtc(updatedMs),
    routes: { self, results: `${self}/results` },
  };
}
