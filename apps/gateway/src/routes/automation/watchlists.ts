import { webhook as contract, type webhook } from '@market-state/contracts';
import { isServiceError, internal } from '@market-state/errors';
import { type CalledOperation, fromWebhooks } from '../../clients/from-webhooks';
import type { Upstreams } from '../../clients/upstreams';
import { accountAnswer } from '../../serving/answers/account-answer';
import { type CallContext, grantOf, type Handler } from '../../serving/answers/handler';
import { parseInstant, toUtc, toUtcOrNull } from '../../serving/meta/meta';
import { newOperationId } from '../../serving/metering/meter';
import { type Described, documentedWord } from '../../serving/openapi/document';
import { InvalidRequest } from '../../serving/errors/problem';

interface SentRule {
  readonly kind: string;
  readonly params?: object;
  readonly cooldown_seconds?: number;
  readonly min_consecutive?: number;
}

/** The webhook service validates the parameters. */
function toRule({ kind, params = {}, cooldown_seconds: cooldown = 0, min_consecutive: consecutive = 1 }: SentRule): webhook.RuleSpec {
  return { kind, params: { ...params }, cooldownSeconds: cooldown, minConsecutive: consecutive };
}

const BASE = '/api/public/market-state';
const { AlertState } = contract;

type ShownState = Described<'AlertStanding'>['state'];

const STATES: ReadonlyMap<contract.AlertState, ShownState> = new Map([
  [AlertState.UNKNOWN, 'unknown'],
  [AlertState.NORMAL, 'normal'],
  [AlertState.PENDING, 'pending'],
  [AlertState.FIRING, 'firing'],
  [AlertState.RECOVERING, 'recovering'],
]);

function stateOf(state: contract.AlertState): ShownState {
  const shown = STATES.get(state);
  if (shown === undefined) throw internal({ detail: `the webhook service returned unknown state ${state}` });
  return shown;
}

function showTransition(transition: contract.AlertTransition): Described<'AlertTransition'> {
  return {
    transition: transition.transition,
    from_state: stateOf(transition.fromState),
    to_state: stateOf(transition.toState),
    at_utc: toUtc(transition.atMs),
    phase: transition.phase === '' ? null : transition.phase,
    episode_id: transition.episodeId === '' ? null : transition.episodeId,
  };
}

function showRule({ ruleId, spec, standings }: contract.Rule): Described<'RuleRecord'> {
  if (spec === undefined) throw internal({ detail: 'the webhook service returned a rule without parameters' });
  return {
    rule_id: ruleId,
    kind: spec.kind,
    params: spec.params ?? {},
    cooldown_seconds: spec.cooldownSeconds,
    min_consecutive: spec.minConsecutive,
    standings: standings.map((standing) => ({
      symbol: standing.symbol,
      state: stateOf(standing.state),
      since_utc: toUtcOrNull(standing.sinceMs),
      stale: standing.stale,
      consecutive: standing.consecutive,
      episode_id: standing.episodeId === '' ? null : standing.episodeId,
      transitions: standing.transitions.map(showTransition),
    })),
  };
}

function shared({ name, muted, createdMs, updatedMs }: contract.Watchlist) {
  return { name, muted, created_at_utc: toUtc(createdMs), updated_at_utc: toUtc(updatedMs) };
}

function showWatchlist(watchlist: contract.Watchlist | undefined): Described<'WatchlistRecord'> {
  if (watchlist === undefined) throw internal({ detail: 'the webhook service returned no watchlist' });
  const route = `${BASE}/watchlists/${watchlist.watchlistId}`;
  return {
    watchlist_id: watchlist.watchlistId,
    symbols: watchlist.symbols,
    rules: watchlist.rules.map(showRule),
    ...shared(watchlist),
    routes: { self: route, rehearsal: `${route}/rehearsal` },
  };
}

/** An alert is a watchlist with one symbol and one rule. */
function showAlert(alert: contract.Watchlist | undefined): Described<'AlertRecord'> {
  const [symbol] = alert?.symbols ?? [];
  const [rule] = alert?.rules ?? [];
  if (alert === undefined || symbol === undefined || rule === undefined)
    throw internal({ detail: 'the webhook service returned an alert that is not one symbol with one rule' });
  return {
    alert_id: alert.watchlistId,
    symbol,
    rule: showRule(rule),
    ...shared(alert),
    routes: { self: `${BASE}/alerts/${alert.watchlistId}`, rehearsal: `${BASE}/watchlists/${alert.watchlistId}/rehearsal` },
  };
}

/** Like `fromWebhooks` for an alert, whose request has single fields instead of lists. */
async function fromAlerts<T>(call: CalledOperation, answer: Promise<T>): Promise<T> {
  try {
    return await fromWebhooks(call, answer);
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
    throw new InvalidRequest(error.faults.map(({ loc, ...rest }) => ({ ...rest, loc: toOne(loc) })));
  }
}

/** Maps `rules[0].params` to `rule.params`, and `symbols[0]` to `symbol`. */
function toOne(loc: readonly (string | number)[]): (string | number)[] {
  const [place = 'body', list, , ...rest] = loc;
  if (list !== 'rules' && list !== 'symbols') return [...loc];
  return [place, list === 'rules' ? 'rule' : 'symbol', ...rest];
}

/** A span with too many packets becomes a validation error. */
async function fromRehearsal<T>(call: CalledOperation, answer: Promise<T>): Promise<T> {
  try {
    return await fromWebhooks(call, answer);
  } catch (error) {
    if (!isServiceError(error, 'rehearsal_too_long')) throw error;
    throw new InvalidRequest([{ loc: ['body', 'from'], msg: error.message, type: error.reason }]);
  }
}

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

export type WatchlistsDeps = Pick<Upstreams, 'watchlists'>;

interface WatchlistVariant<Shown> {
  readonly kind: contract.WatchlistKind;
  readonly from: <T>(call: CalledOperation, answer: Promise<T>) => Promise<T>;
  readonly show: (watchlist: contract.Watchlist | undefined) => Shown;
}

type Fields = Pick<webhook.CreateWatchlistRequest, 'name' | 'symbols' | 'rules'>;
type Changes = Pick<webhook.UpdateWatchlistRequest, 'name' | 'symbols' | 'muted'> & { readonly rules?: webhook.RuleSpec[] };
type Caller = Pick<CallContext, 'grant' | 'ownTry' | 'operation'>;

function callsOf<Shown>({ watchlists: { call } }: WatchlistsDeps, { kind, from, show }: WatchlistVariant<Shown>) {
  return {
    async create(caller: Caller, fields: Fields): Promise<Shown> {
      const { tenantId, plan } = grantOf(caller);
      const operationId = caller.ownTry?.operationId ?? newOperationId();
      const { watchlist } = await from(caller, call.createWatchlist({ tenantId, planId: plan.planId, operationId, kind, ...fields }));
      return show(watchlist);
    },
    async list(caller: Caller, { limit, cursor }: { readonly limit: number; readonly cursor: string }) {
      const { tenantId } = grantOf(caller);
      const page = await from(caller, call.listWatchlists({ tenantId, kind, pageSize: limit, pageToken: cursor }));
      return {
        shown: page.watchlists.map(show),
        around: { row_total: page.watchlists.length, next_cursor: page.nextPageToken === '' ? null : page.nextPageToken },
      };
    },
    async get(caller: Caller, watchlistId: string): Promise<Shown> {
      const { tenantId } = grantOf(caller);
      return show((await from(caller, call.getWatchlist({ tenantId, kind, watchlistId }))).watchlist);
    },
    async update(caller: Caller, watchlistId: string, { rules, ...changes }: Changes): Promise<Shown> {
      const { tenantId } = grantOf(caller);
      const newRules = rules === undefined ? undefined : { rules };
      return show((await from(caller, call.updateWatchlist({ tenantId, kind, watchlistId, ...changes, rules: newRules }))).watchlist);
    },
    async delete(caller: Caller, watchlistId: string): Promise<Shown> {
      const { tenantId } = grantOf(caller);
      return show((await from(caller, call.deleteWatchlist({ tenantId, kind, watchlistId }))).watchlist);
    },
  };
}

const watchlistCalls = (deps: WatchlistsDeps) =>
  callsOf(deps, { kind: contract.WatchlistKind.WATCHLIST, from: fromWebhooks, show: showWatchlist });

/** An alert is a watchlist with one symbol and one rule. */
const alertCalls = (deps: WatchlistsDeps) => callsOf(deps, { kind: contract.WatchlistKind.ALERT, from: fromAlerts, show: showAlert });

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

const phaseOf = documentedWord('RehearsedNotice', 'phase');
const SAID = 'Messages that the rules would have sent, evaluated by the live code.';

export function rehearseWatchlist({ watchlists }: WatchlistsDeps): Handler<'rehearseWatchlist'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { from = '', to = '' } = call.input.body ?? {};
    const span = { fromMs: parseInstant(from) ?? 0, toMs: parseInstant(to) ?? 0 };
    const watchlistId = call.input.path.watchlist_id;
    const rehearsed = await fromRehearsal(call, watchlists.call.rehearse({ tenantId, watchlistId, symbols: [], rules: [], ...span }));
    return accountAnswer(call, showRehearsal(rehearsed), SAID);
  };
}

export function rehearseAlerts({ watchlists }: WatchlistsDeps): Handler<'rehearseAlerts'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { symbols, rules, from = '', to = '' } = call.input.body;
    const span = { fromMs: parseInstant(from) ?? 0, toMs: parseInstant(to) ?? 0 };
    const rehearsal = { tenantId, watchlistId: '', symbols: [...symbols], rules: rules.map(toRule), ...span };
    return accountAnswer(call, showRehearsal(await fromRehearsal(call, watchlists.call.rehearse(rehearsal))), SAID);
  };
}

function showRehearsal(rehearsed: contract.RehearseResponse) {
  return {
    from_utc: toUtc(rehearsed.fromMs),
    to_utc: toUtc(rehearsed.toMs),
    packets_looked_at: rehearsed.packets,
    steps: rehearsed.steps,
    rules: rehearsed.rules.map(showRehearsedRule),
    deliveries: rehearsed.deliveries,
    market_state_credits: rehearsed.marketStateCredits,
  };
}

function showRehearsedRule(rule: contract.RehearsedRule): Described<'RehearsedRule'> {
  const { triggered, recovered, suppressed, flaps, holes, symbol } = rule;
  return {
    rule_index: rule.ruleIndex,
    rule_id: rule.ruleId === '' ? null : rule.ruleId,
    symbol,
    triggered,
    recovered,
    suppressed,
    flaps,
    holes,
    state: stateOf(rule.state),
    settings: rule.settings.map(({ minConsecutive, ...counts }) => ({ min_consecutive: minConsecutive, ...counts })),
    notices: rule.notices.map((notice) => ({
      phase: phaseOf(notice.phase),
      window_end_utc: toUtc(notice.windowEndMs),
      event_id: notice.eventId,
      replay_cursor: notice.replayCursor,
    })),
  };
}
