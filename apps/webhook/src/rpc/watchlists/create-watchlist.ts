import type { webhook } from '@market-state/contracts';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import { createWatchlist as create } from '../../watchlists/create-watchlist';
import { kindOf, readRules, refuseUnserved, watchedFaults } from '../../watchlists/faults';
import type { WatchlistDeps } from '../../watchlists/watchlist-deps';
import { nameFaults } from '../name-faults';
import { showWatchlist } from './show-watchlist';

export async function createWatchlist(
  deps: WatchlistDeps,
  request: webhook.CreateWatchlistRequest,
): Promise<webhook.CreateWatchlistResponse> {
  const { tenantId, planId, operationId, name, symbols } = request;
  const kind = kindOf(request.kind);
  const { rules, faults } = readRules(request.rules, kind);
  refuseFaults(
    idFaults('tenant_id', tenantId),
    idFaults('plan_id', planId),
    idFaults('operation_id', operationId),
    nameFaults(name),
    watchedFaults(symbols, kind),
    faults,
  );
  await refuseUnserved(deps, symbols);
  return { watchlist: showWatchlist(await create(deps, { tenantId, planId, operationId, kind, name, symbols, rules })) };
}
