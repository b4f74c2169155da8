import { webhook as contract } from '@market-state/contracts';
import type { WatchlistsDeps } from './watchlists';
import { accountAnswer } from '../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../serving/answers/handler';
import { newOperationId } from '../../serving/metering/meter';
import { fromAlerts, showAlert, toRule } from './watchlist-rules';

const kind = contract.WatchlistKind.ALERT;

export function createAlert({ watchlists }: WatchlistsDeps): Handler<'createAlert'> {
  return async (call) => {
    const { tenantId, plan } = grantOf(call);
    const { name, symbol, rule } = call.input.body;
    const { watchlist } = await fromAlerts(
      watchlists.call.createWatchlist({
        tenantId,
        planId: plan.planId,
        operationId: call.ownTry?.operationId ?? newOperationId(),
        kind,
        name,
        symbols: [symbol],
        rules: [toRule(rule)],
      }),
    );
    const record = showAlert(watchlist);
    return { ...accountAnswer(call, record, 'The rule is looked at from the next packet on.'), headers: { Location: record.routes.self } };
  };
}

export function listAlerts({ watchlists }: WatchlistsDeps): Handler<'listAlerts'> {
  return async (call) => {
    const { limit, cursor } = call.input.query;
    const { tenantId } = grantOf(call);
    const page = await fromAlerts(watchlists.call.listWatchlists({ tenantId, kind, pageSize: limit, pageToken: cursor }), 'query');
    const fields = {
      alerts: page.watchlists.map(showAlert),
      row_total: page.watchlists.length,
      next_cursor: page.nextPageToken === '' ? null : page.nextPageToken,
    };
    return accountAnswer(call, fields, 'Alerts of this tenant, newest first.');
  };
}

export function getAlert({ watchlists }: WatchlistsDeps): Handler<'getAlert'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { watchlist } = await fromAlerts(watchlists.call.getWatchlist({ tenantId, kind, watchlistId: call.input.path.alert_id }));
    return accountAnswer(call, showAlert(watchlist), 'The alert, and where its rule stands.');
  };
}

export function updateAlert({ watchlists }: WatchlistsDeps): Handler<'updateAlert'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { name, rule, muted } = call.input.body;
    const { watchlist } = await fromAlerts(
      watchlists.call.updateWatchlist({
        tenantId,
        kind,
        watchlistId: call.input.path.alert_id,
        name,
        symbols: [],
        rules: rule === undefined ? undefined : { rules: [toRule(rule)] },
        muted,
      }),
    );
    return accountAnswer(call, showAlert(watchlist), 'The alert as it is now.');
  };
}

export function deleteAlert({ watchlists }: WatchlistsDeps): Handler<'deleteAlert'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { watchlist } = await fromAlerts(watchlists.call.deleteWatchlist({ tenantId, kind, watchlistId: call.input.path.alert_id }));
    return accountAnswer(call, showAlert(watchlist), 'The alert is deleted; this is its record as it was.');
  };
}
