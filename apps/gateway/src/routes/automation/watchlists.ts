import { webhook as contract } from '@market-state/contracts';
import type { Upstreams } from '../../clients/upstreams';
import { accountAnswer } from '../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../serving/answers/handler';
import { newOperationId } from '../../serving/metering/meter';
import { fromWatchlists, showWatchlist, toRule } from './watchlist-rules';

export type WatchlistsDeps = Pick<Upstreams, 'watchlists'>;

const kind = contract.WatchlistKind.WATCHLIST;

export function createWatchlist({ watchlists }: WatchlistsDeps): Handler<'createWatchlist'> {
  return async (call) => {
    const { tenantId, plan } = grantOf(call);
    const { name, symbols, rules } = call.input.body;
    const { watchlist } = await fromWatchlists(
      watchlists.call.createWatchlist({
        tenantId,
        planId: plan.planId,
        operationId: call.ownTry?.operationId ?? newOperationId(),
        kind,
        name,
        symbols: [...symbols],
        rules: rules.map(toRule),
      }),
    );
    const record = showWatchlist(watchlist);
    return {
      ...accountAnswer(call, record, 'Watchlist created. Its rules are evaluated from the next packet on.'),
      headers: { Location: record.routes.self },
    };
  };
}

export function listWatchlists({ watchlists }: WatchlistsDeps): Handler<'listWatchlists'> {
  return async (call) => {
    const { limit, cursor } = call.input.query;
    const { tenantId } = grantOf(call);
    const page = await fromWatchlists(watchlists.call.listWatchlists({ tenantId, kind, pageSize: limit, pageToken: cursor }), 'query');
    const fields = {
      watchlists: page.watchlists.map(showWatchlist),
      row_total: page.watchlists.length,
      next_cursor: page.nextPageToken === '' ? null : page.nextPageToken,
    };
    return accountAnswer(call, fields, 'Watchlists of this tenant, newest first.');
  };
}

export function getWatchlist({ watchlists }: WatchlistsDeps): Handler<'getWatchlist'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { watchlist } = await fromWatchlists(watchlists.call.getWatchlist({ tenantId, kind, watchlistId: call.input.path.watchlist_id }));
    return accountAnswer(call, showWatchlist(watchlist), 'The watchlist and the current state of its rules.');
  };
}

export function updateWatchlist({ watchlists }: WatchlistsDeps): Handler<'updateWatchlist'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { name, symbols = [], rules, muted } = call.input.body;
    const { watchlist } = await fromWatchlists(
      watchlists.call.updateWatchlist({
        tenantId,
        kind,
        watchlistId: call.input.path.watchlist_id,
        name,
        symbols: [...symbols],
        rules: rules === undefined ? undefined : { rules: rules.map(toRule) },
        muted,
      }),
    );
    return accountAnswer(call, showWatchlist(watchlist), 'Watchlist updated.');
  };
}

export function deleteWatchlist({ watchlists }: WatchlistsDeps): Handler<'deleteWatchlist'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { watchlist } = await fromWatchlists(
      watchlists.call.deleteWatchlist({ tenantId, kind, watchlistId: call.input.path.watchlist_id }),
    );
    return accountAnswer(call, showWatchlist(watchlist), 'Watchlist deleted. This is its last record.');
  };
}
