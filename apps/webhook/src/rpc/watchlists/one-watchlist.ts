import type { webhook } from '@market-state/contracts';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import { kindOf } from '../../watchlists/faults';
import { requireWatchlist } from '../../watchlists/require-watchlist';
import { deleteWatchlist as remove } from '../../watchlists/update-watchlist';
import type { WatchlistDeps } from '../../watchlists/watchlist-deps';
import { showWatchlist } from './show-watchlist';

/** Which watchlist a request names. */
export function keyOf({ tenantId, watchlistId, kind }: webhook.GetWatchlistRequest) {
  refuseFaults(idFaults('tenant_id', tenantId), idFaults('watchlist_id', watchlistId));
  return { tenantId, watchlistId, kind: kindOf(kind) };
}

export async function getWatchlist(deps: WatchlistDeps, request: webhook.GetWatchlistRequest): Promise<webhook.GetWatchlistResponse> {
  return { watchlist: showWatchlist(await requireWatchlist(deps.pool, keyOf(request))) };
}

export async function deleteWatchlist(
  deps: WatchlistDeps,
  request: webhook.DeleteWatchlistRequest,
): Promise<webhook.DeleteWatchlistResponse> {
  return { watchlist: showWatchlist(await remove(deps, keyOf(request))) };
}
