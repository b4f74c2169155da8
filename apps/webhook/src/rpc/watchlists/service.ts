import { webhook } from '@market-state/contracts';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import type { WatchlistDeps } from '../../watchlists/watchlist-deps';
import { orUnavailable } from '../database-error';
import { createWatchlist } from './create-watchlist';
import { listWatchlists } from './list-watchlists';
import { deleteWatchlist, getWatchlist } from './one-watchlist';
import { rehearse } from './rehearse';
import { updateWatchlist } from './update-watchlist';

export function bindWatchlistService(deps: WatchlistDeps): BoundService {
  const handlers = { createWatchlist, getWatchlist, listWatchlists, updateWatchlist, deleteWatchlist, rehearse };
  return bindService(webhook.WatchlistServiceService, withDeps(deps, handlers), orUnavailable);
}
