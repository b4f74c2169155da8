import type { webhook as contract } from '@market-state/contracts';
import { internal } from '@market-state/errors';
import type { Upstreams } from '../../clients/upstreams';
import { fromWebhooks } from '../../clients/from-webhooks';
import { refuseUnserved } from '../../clients/market-data-client';
import { accountAnswer } from '../../serving/answers/account-answer';
import { grantOf, type Handler, type InputOf } from '../../serving/answers/handler';
import { newOperationId } from '../../serving/metering/meter';
import { ALL, findEvents } from '../../clients/packets/find-events';
import { operationById } from '../../serving/openapi/operations';
import { toUtc } from '../../serving/meta/meta';
import type { Described } from '../../serving/openapi/document';

const BASE = '/api/public/market-state/saved-searches';

function showSearch(search: contract.SavedSearch | undefined): Described<'SavedSearchRecord'> {
  if (search === undefined) throw internal({ detail: 'the webhook service returned no saved search' });
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

type SearchQuery = InputOf<'searchEvents'>['query'];

const search = operationById('searchEvents');

/** Event search parameters at their defaults. */
const DEFAULTS: Readonly<Record<string, unknown>> = Object.fromEntries(
  search.parameters.filter((parameter) => parameter.in === 'query').map(({ name, schema }) => [name, schema.default]),
);

/** Parameters that a run may add to the stored ones. */
type OwnParameters = Pick<SearchQuery, 'limit' | 'cursor' | 'as_of' | 'view'>;

/** Merges defaults, stored parameters and the call's own, in ascending precedence. */
function toSearchQuery(kept: Readonly<Record<string, unknown>>, own: OwnParameters): SearchQuery {
  return { ...DEFAULTS, ...kept, ...own } as SearchQuery;
}

type SearchesDeps = Pick<Upstreams, 'savedSearches' | 'marketData'>;

/** @throws ServiceError `unknown_symbol` */
async function refuseUnservedQuery({ marketData }: SearchesDeps, { symbol = ALL }: { readonly symbol?: string } = {}): Promise<void> {
  await refuseUnserved(marketData, symbol === ALL ? [] : [symbol]);
}

export function createSavedSearch(deps: SearchesDeps): Handler<'createSavedSearch'> {
  return async (call) => {
    const { tenantId, plan } = grantOf(call);
    const { name, query } = call.input.body;
    await refuseUnservedQuery(deps, query);
    const operationId = call.ownTry?.operationId ?? newOperationId();
    const search = { tenantId, planId: plan.planId, operationId, name, query: { ...query } };
    const { savedSearch } = await fromWebhooks(call, deps.savedSearches.call.createSavedSearch(search));
    const record = showSearch(savedSearch);
    return { ...accountAnswer(call, record, 'Search saved.'), headers: { Location: record.routes.self } };
  };
}

export function listSavedSearches({ savedSearches }: SearchesDeps): Handler<'listSavedSearches'> {
  return async (call) => {
    const { limit, cursor } = call.input.query;
    const { tenantId } = grantOf(call);
    const page = await fromWebhooks(call, savedSearches.call.listSavedSearches({ tenantId, pageSize: limit, pageToken: cursor }));
    const fields = {
      saved_searches: page.savedSearches.map(showSearch),
      row_total: page.savedSearches.length,
      next_cursor: page.nextPageToken === '' ? null : page.nextPageToken,
    };
    return accountAnswer(call, fields, 'Saved searches of this tenant, newest first.');
  };
}

export function getSavedSearch({ savedSearches }: SearchesDeps): Handler<'getSavedSearch'> {
  return async (call) => {
    const key = { tenantId: grantOf(call).tenantId, savedSearchId: call.input.path.saved_search_id };
    const { savedSearch } = await fromWebhooks(call, savedSearches.call.getSavedSearch(key));
    return accountAnswer(call, showSearch(savedSearch), 'The saved search.');
  };
}

export function updateSavedSearch(deps: SearchesDeps): Handler<'updateSavedSearch'> {
  return async (call) => {
    const key = { tenantId: grantOf(call).tenantId, savedSearchId: call.input.path.saved_search_id };
    const { name, query } = call.input.body;
    await refuseUnservedQuery(deps, query);
    const change = { name, query: query === undefined ? undefined : { ...query } };
    const { savedSearch } = await fromWebhooks(call, deps.savedSearches.call.updateSavedSearch({ ...key, ...change }));
    return accountAnswer(call, showSearch(savedSearch), 'Saved search updated.');
  };
}

export function deleteSavedSearch({ savedSearches }: SearchesDeps): Handler<'deleteSavedSearch'> {
  return async (call) => {
    const key = { tenantId: grantOf(call).tenantId, savedSearchId: call.input.path.saved_search_id };
    const { savedSearch } = await fromWebhooks(call, savedSearches.call.deleteSavedSearch(key));
    return accountAnswer(call, showSearch(savedSearch), 'Saved search deleted. This is its last record.');
  };
}

export function getSavedSearchResults(upstreams: Upstreams, now: () => number): Handler<'getSavedSearchResults'> {
  const find = findEvents(upstreams, now);
  return async (call) => {
    const key = { tenantId: grantOf(call).tenantId, savedSearchId: call.input.path.saved_search_id };
    const { savedSearch } = await fromWebhooks(call, upstreams.savedSearches.call.getSavedSearch(key));
    return find(call, toSearchQuery(savedSearch?.query ?? {}, call.input.query));
  };
}
