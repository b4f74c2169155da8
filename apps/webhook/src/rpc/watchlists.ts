import type { AlertState } from '@market-state/alert-rules';
import { webhook } from '@market-state/contracts';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import { listWatchlists as list } from '../store/watchlists';
import {
  createWatchlist as create,
  deleteWatchlist as remove,
  requireWatchlist,
  updateWatchlist as update,
} from '../watchlists/change-watchlist';
import {
  kindOf,
  readRules,
  refuseUnserved,
  type SymbolRuleState,
  watchedFaults,
  type WatchedRule,
  type Watchlist,
  type WatchlistDeps,
} from '../watchlists/watchlist';
import { nameFaults, pageOf } from './request-faults';

export const ALERT_STATES: Readonly<Record<AlertState, webhook.AlertState>> = {
  unknown: webhook.AlertState.UNKNOWN,
  normal: webhook.AlertState.NORMAL,
  pending: webhook.AlertState.PENDING,
  firing: webhook.AlertState.FIRING,
  recovering: webhook.AlertState.RECOVERING,
};

function showWatchlist(watchlist: Watchlist): webhook.Watchlist {
  const { kind, symbols, rules, ...rest } = watchlist;
  return {
    ...rest,
    kind: kind === 'alert' ? webhook.WatchlistKind.ALERT : webhook.WatchlistKind.WATCHLIST,
    symbols: [...symbols],
    rules: rules.map(showRule),
  };
}

function showRule({ ruleId, spec, standings }: WatchedRule): webhook.Rule {
  const { kind, params, cooldownSeconds, minConsecutive } = spec;
  return { ruleId, spec: { kind, params: { ...params }, cooldownSeconds, minConsecutive }, standings: standings.map(showStanding) };
}

function showStanding({ symbol, standing, recent }: SymbolRuleState): webhook.AlertStanding {
  const { state, sinceMs, stale, consecutive, episodeId } = standing;
  const transitions = recent.map(({ transition, from, to, at_ms: atMs, phase, episode_id: ofEpisode }) => ({
    transition,
    fromState: ALERT_STATES[from],
    toState: ALERT_STATES[to],
    atMs,
    phase,
    episodeId: ofEpisode,
  }));
  return { symbol, state: ALERT_STATES[state], sinceMs, stale, consecutive, episodeId: episodeId ?? '', transitions };
}

function keyOf({ tenantId, watchlistId, kind }: webhook.GetWatchlistRequest) {
  refuseFaults(idFaults('tenant_id', tenantId), idFaults('watchlist_id', watchlistId));
  return { tenantId, watchlistId, kind: kindOf(kind) };
}

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

export async function getWatchlist(deps: WatchlistDeps, request: webhook.GetWatchlistRequest): Promise<webhook.GetWatchlistResponse> {
  return { watchlist: showWatchlist(await requireWatchlist(deps.pool, keyOf(request))) };
}

export async function listWatchlists(deps: WatchlistDeps, request: webhook.ListWatchlistsRequest): Promise<webhook.ListWatchlistsResponse> {
  const { tenantId } = request;
  const kind = kindOf(request.kind);
  const { page, nextPageToken } = await pageOf(
    ['w1', tenantId, kind],
    request,
    idFaults('tenant_id', tenantId),
    (of) => list(deps.pool, { tenantId, kind }, of),
    ({ createdMs, watchlistId }) => ({ atMs: createdMs, id: watchlistId }),
  );
  return { watchlists: page.map(showWatchlist), nextPageToken };
}

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

export async function deleteWatchlist(
  deps: WatchlistDeps,
  request: webhook.DeleteWatchlistRequest,
): Promise<webhook.DeleteWatchlistResponse> {
  return { watchlist: showWatchlist(await remove(deps, keyOf(request))) };
}
