import type { Upstreams } from '../../clients/upstreams';
import {
  createSavedSearch,
  deleteSavedSearch,
  getSavedSearch,
  getSavedSearchResults,
  listSavedSearches,
  updateSavedSearch,
} from './saved-searches';
import {
  createAlert,
  createWatchlist,
  deleteAlert,
  deleteWatchlist,
  getAlert,
  getWatchlist,
  listAlerts,
  listWatchlists,
  rehearseAlerts,
  rehearseWatchlist,
  updateAlert,
  updateWatchlist,
  type WatchlistsDeps,
} from './watchlists';
import { getWebhookEvent, listWebhookDeliveries, listWebhookEvents, resendWebhookEvent, testWebhook } from './webhook-messages';
import {
  confirmWebhook,
  createWebhook,
  deleteWebhook,
  enableWebhook,
  getWebhook,
  getWebhookTask,
  listWebhooks,
  recoverWebhook,
  replayMissingWebhook,
  rotateWebhookSecret,
  unsubscribe,
  updateWebhook,
  type WebhooksDeps,
} from './webhooks';

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

export function watchlistHandlers(deps: WatchlistsDeps) {
  return {
    listWatchlists: listWatchlists(deps),
    createWatchlist: createWatchlist(deps),
    getWatchlist: getWatchlist(deps),
    updateWatchlist: updateWatchlist(deps),
    deleteWatchlist: deleteWatchlist(deps),
    rehearseWatchlist: rehearseWatchlist(deps),
    rehearseAlerts: rehearseAlerts(deps),
    listAlerts: listAlerts(deps),
    createAlert: createAlert(deps),
    getAlert: getAlert(deps),
    updateAlert: updateAlert(deps),
    deleteAlert: deleteAlert(deps),
  };
}

export function webhookHandlers(deps: WebhooksDeps) {
  return {
    listWebhooks: listWebhooks(deps),
    createWebhook: createWebhook(deps),
    getWebhook: getWebhook(deps),
    updateWebhook: updateWebhook(deps),
    deleteWebhook: deleteWebhook(deps),
    testWebhook: testWebhook(deps),
    confirmWebhook: confirmWebhook(deps),
    unsubscribe: unsubscribe(deps),
    rotateWebhookSecret: rotateWebhookSecret(deps),
    enableWebhook: enableWebhook(deps),
    recoverWebhook: recoverWebhook(deps),
    replayMissingWebhook: replayMissingWebhook(deps),
    getWebhookTask: getWebhookTask(deps),
    listWebhookDeliveries: listWebhookDeliveries(deps),
    listWebhookEvents: listWebhookEvents(deps),
    getWebhookEvent: getWebhookEvent(deps),
    resendWebhookEvent: resendWebhookEvent(deps),
  };
}
