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
    return {
      ...accountAnswer(call, record, 'Alert created. Its rule is evaluated from the next packet on.'),
      headers: { Location: record.routes.self },
    };
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
    return accountAnswer(call, showAlert(watchlist), 'The alert and the current state of its rule.');
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
    return accountAnswer(call, showAlert(watchlist), 'Alert updated.');
  };
}

export function deleteAlert({ watchlists }: WatchlistsDeps): Handler<'deleteAlert'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { watchlist } = await fromAlerts(watchlists.call.deleteWatchlist({ tenantId, kind, watchlistId: call.input.path.alert_id }));
    return accountAnswer(call, showAlert(watchlist), 'Alert deleted. This is its last record.');
  };
}
