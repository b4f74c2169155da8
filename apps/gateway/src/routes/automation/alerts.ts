import { accountAnswer } from '../../serving/answers/account-answer';
import type { Handler } from '../../serving/answers/handler';
import { alertCalls, type WatchlistsDeps } from './watchlist-calls';
import { toRule } from './watchlist-rules';

export function createAlert(deps: WatchlistsDeps): Handler<'createAlert'> {
  return async (call) => {
    const { name, symbol, rule } = call.input.body;
    const record = await alertCalls(deps).create(call, { name, symbols: [symbol], rules: [toRule(rule)] });
    return {
      ...accountAnswer(call, record, 'Alert created. Its rule is evaluated from the next packet on.'),
      headers: { Location: record.routes.self },
    };
  };
}

export function listAlerts(deps: WatchlistsDeps): Handler<'listAlerts'> {
  return async (call) => {
    const { shown, around } = await alertCalls(deps).list(call, call.input.query);
    return accountAnswer(call, { alerts: shown, ...around }, 'Alerts of this tenant, newest first.');
  };
}

export function getAlert(deps: WatchlistsDeps): Handler<'getAlert'> {
  return async (call) => {
    const record = await alertCalls(deps).get(call, call.input.path.alert_id);
    return accountAnswer(call, record, 'The alert and the current state of its rule.');
  };
}

export function updateAlert(deps: WatchlistsDeps): Handler<'updateAlert'> {
  return async (call) => {
    const { name, rule, muted } = call.input.body;
    const rules = rule === undefined ? undefined : [toRule(rule)];
    const record = await alertCalls(deps).update(call, call.input.path.alert_id, { name, symbols: [], rules, muted });
    return accountAnswer(call, record, 'Alert updated.');
  };
}

export function deleteAlert(deps: WatchlistsDeps): Handler<'deleteAlert'> {
  return async (call) => {
    const record = await alertCalls(deps).delete(call, call.input.path.alert_id);
    return accountAnswer(call, record, 'Alert deleted. This is its last record.');
  };
}
