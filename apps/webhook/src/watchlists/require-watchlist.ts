import { notFound } from '@market-state/errors';
import type { Queryable } from '@market-state/postgres';
import { findWatchlist } from '../store/watchlists';
import type { Watchlist } from './watchlist';

/** @throws ServiceError NOT_FOUND `unknown_watchlist`, also for another tenant's and for one of the other kind */
export async function requireWatchlist(on: Queryable, key: Pick<Watchlist, 'tenantId' | 'kind' | 'watchlistId'>): Promise<Watchlist> {
  const watchlist = await findWatchlist(on, key);
  if (watchlist !== undefined) return watchlist;
  throw notFound('unknown_watchlist', key.kind === 'alert' ? 'There is no such alert.' : 'There is no such watchlist.');
}
