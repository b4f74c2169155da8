import { accountAnswer } from '../../serving/answers/account-answer';
import type { Handler } from '../../serving/answers/handler';
import { watchlistCalls, type WatchlistsDeps } from './watchlist-calls';
import { toRule } from './watchlist-rules';

export function createWatchlist(deps: WatchlistsDeps): Handler<'createWatchlist'> {
  return async (call) => {
    const { name, symbols, rules } = call.input.body;
    const record = await watchlistCalls(deps).create(call, { name, symbols: [...symbols], rules: rules.map(toRule) });
    return {
      ...accountAnswer(call, record, 'Watchlist created. Its rules are evaluated from the next packet on.'),
      headers: { Location: record.routes.self },
    };
  };
}

export function listWatchlists(deps: WatchlistsDeps): Handler<'listWatchlists'> {
  return async (call) => {
    const { shown, around } = await watchlistCalls(deps).list(call, call.input.query);
    return accountAnswer(call, { watchlists: shown, ...around }, 'Watchlists of this tenant, newest first.');
  };
}

export function getWatchlist(deps: WatchlistsDeps): Handler<'getWatchlist'> {
  return async (call) => {
    const record = await watchlistCalls(deps).get(call, call.input.path.watchlist_id);
    return accountAnswer(call, record, 'The watchlist and the current state of its rules.');
  };
}

export function updateWatchlist(deps: WatchlistsDeps): Handler<'updateWatchlist'> {
  return async (call) => {
    const { name, symbols = [], rules, muted } = call.input.body;
    const changes = { name, symbols: [...symbols], rules: rules?.map(toRule), muted };
    const record = await watchlistCalls(deps).update(call, call.input.path.watchlist_id, changes);
    return accountAnswer(call, record, 'Watchlist updated.');
  };
}

export function deleteWatchlist(deps: WatchlistsDeps): Handler<'deleteWatchlist'> {
  return async (call) => {
    const record = await watchlistCalls(deps).delete(call, call.input.path.watchlist_id);
    return accountAnswer(call, record, 'Watchlist deleted. This is its last record.');
  };
}
