import { webhook as contract, type webhook } from '@market-state/contracts';
import { isServiceError, internal } from '@market-state/errors';
import { fromWebhooks, type FieldLocation } from '../../clients/from-webhooks';
import { InvalidRequest } from '../../serving/errors/problem';
import { toUtc, toUtcOrNull } from '../../serving/meta/meta';
import type { Described } from '../../serving/openapi/document';

interface SentRule {
  readonly kind: string;
  readonly params?: object;
  readonly cooldown_seconds?: number;
  readonly min_consecutive?: number;
}

/** The webhook service validates the parameters. */
export function toRule({
  kind,
  params = {},
  cooldown_seconds: cooldown = 0,
  min_consecutive: consecutive = 1,
}: SentRule): webhook.RuleSpec {
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

export function stateOf(state: contract.AlertState): ShownState {
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

export function showWatchlist(watchlist: contract.Watchlist | undefined): Described<'WatchlistRecord'> {
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
export function showAlert(alert: contract.Watchlist | undefined): Described<'AlertRecord'> {
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

/** Validation errors are mapped to the public request. */
export const fromWatchlists = <T>(answer: Promise<T>, place: FieldLocation = 'body'): Promise<T> => fromWebhooks(answer, place);

/** Like `fromWatchlists` for an alert, whose request has single fields instead of lists. */
export async function fromAlerts<T>(answer: Promise<T>, place: FieldLocation = 'body'): Promise<T> {
  try {
    return await fromWebhooks(answer, place);
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

/** A span that is too long or no longer retained becomes a validation error. */
export async function fromRehearsal<T>(answer: Promise<T>): Promise<T> {
  try {
    return await fromWebhooks(answer);
  } catch (error) {
    if (!isServiceError(error, 'rehearsal_too_long') && !isServiceError(error, 'beyond_retention')) throw error;
    throw new InvalidRequest([{ loc: ['body', 'from'], msg: error.message, type: error.reason }]);
  }
}
