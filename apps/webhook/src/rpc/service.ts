import { webhook } from '@market-state/contracts';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import { orUnavailable } from '@market-state/postgres';
import type { EndpointDeps } from '../endpoints/endpoint';
import type { WatchlistDeps } from '../watchlists/watchlist';
import { confirmEndpoint, unsubscribeEndpoint } from './email-endpoints';
import { createEndpoint, deleteEndpoint, getEndpoint, listEndpoints, resealSecrets, rotateSecret } from './endpoints';
import { getMessage, listAttempts, listMessages, resendMessage } from './messages';
import { rehearse } from './rehearse';
import { createSavedSearch, deleteSavedSearch, getSavedSearch, listSavedSearches, type SearchDeps, updateSavedSearch } from './searches';
import { getTask, recover, replayMissing } from './tasks';
import { testEndpoint } from './test-endpoint';
import { enableEndpoint, updateEndpoint } from './update-endpoint';
import { createWatchlist, deleteWatchlist, getWatchlist, listWatchlists, updateWatchlist } from './watchlists';

export function bindEndpointService(deps: EndpointDeps): BoundService {
  const handlers = {
    createEndpoint,
    getEndpoint,
    listEndpoints,
    updateEndpoint,
    deleteEndpoint,
    testEndpoint,
    confirmEndpoint,
    unsubscribeEndpoint,
    rotateSecret,
    resealSecrets,
    enableEndpoint,
    recover,
    replayMissing,
    getTask,
  };
  return bindService(webhook.EndpointServiceService, withDeps(deps, handlers), orUnavailable('webhook'));
}

export function bindMessageService(deps: EndpointDeps): BoundService {
  const handlers = { listMessages, getMessage, resendMessage, listAttempts };
  return bindService(webhook.MessageServiceService, withDeps(deps, handlers), orUnavailable('webhook'));
}

export function bindWatchlistService(deps: WatchlistDeps): BoundService {
  const handlers = { createWatchlist, getWatchlist, listWatchlists, updateWatchlist, deleteWatchlist, rehearse };
  return bindService(webhook.WatchlistServiceService, withDeps(deps, handlers), orUnavailable('webhook'));
}

export function bindSavedSearchService(deps: SearchDeps): BoundService {
  const handlers = { createSavedSearch, getSavedSearch, listSavedSearches, updateSavedSearch, deleteSavedSearch };
  return bindService(webhook.SavedSearchServiceService, withDeps(deps, handlers), orUnavailable('webhook'));
}
