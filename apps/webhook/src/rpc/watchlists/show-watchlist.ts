import { webhook } from '@market-state/contracts';
import type { AlertState } from '@market-state/alert-rules';
import type { RuleStanding, WatchedRule, Watchlist } from '../../watchlists/watchlist';

/** States as the contract names them. */
export const ALERT_STATES: Readonly<Record<AlertState, webhook.AlertState>> = {
  unknown: webhook.AlertState.UNKNOWN,
  normal: webhook.AlertState.NORMAL,
  pending: webhook.AlertState.PENDING,
  firing: webhook.AlertState.FIRING,
  recovering: webhook.AlertState.RECOVERING,
};

export function showWatchlist(watchlist: Watchlist): webhook.Watchlist {
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

function showStanding({ symbol, standing, recent }: RuleStanding): webhook.AlertStanding {
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
