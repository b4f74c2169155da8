import type { webhook } from '@market-state/contracts';
import { refuseFaults } from '@market-state/request-checks';
import { readRules, refuseUnserved, watchedFaults } from '../../watchlists/faults';
import { updateWatchlist as update } from '../../watchlists/update-watchlist';
import type { WatchlistDeps } from '../../watchlists/watchlist-deps';
import { keyOf } from './one-watchlist';
import { nameFaults } from '../name-faults';
import { showWatchlist } from './show-watchlist';

export async function updateWatchlist(
  deps: WatchlistDeps,
  request: webhook.UpdateWatchlistRequest,
): Promise<webhook.UpdateWatchlistResponse> {
  const key = keyOf(request);
  const { name, symbols, muted } = request;
  const read = request.rules === undefined ? undefined : readRules(request.rules.rules, key.kind);
  refuseFaults(
    name === undefined ? [] : nameFaults(name),
    symbols.length === 0 ? [] : watchedFaults(symbols, key.kind),
    read?.faults ?? [],
  );
  await refuseUnserved(deps, symbols);
  const change = { name, symbols: symbols.length === 0 ? undefined : symbols, rules: read?.rules, muted };
  return { watchlist: showWatchlist(await update(deps, key, change)) };
}
