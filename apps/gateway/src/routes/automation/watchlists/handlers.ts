import { createAlert, deleteAlert, getAlert, listAlerts, updateAlert } from './alerts';
import { rehearseAlerts, rehearseWatchlist } from './rehearsals';
import { createWatchlist, deleteWatchlist, getWatchlist, listWatchlists, updateWatchlist, type WatchlistsDeps } from './watchlists';

/** Watchlists, alerts and their rehearsals, by operation id. */
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
