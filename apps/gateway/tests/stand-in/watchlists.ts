import { checkRule } from '@market-state/alert-rules';
import { createMessage, webhook } from '@market-state/contracts';
import { failedPrecondition, type Fault, invalidArgument, notFound, resourceExhausted } from '@market-state/errors';

const { AlertState } = webhook;

/** Watchlists and alerts per tenant. */
const WATCHLISTS_MAX = 50;

/**
 * Present from the start, for the first tenant and permanently: one to read and one to delete repeatedly, of each kind.
 */
export const KEPT_WATCHLIST = 'wl_kept';
export const SPARE_WATCHLIST = 'wl_spare';
export const KEPT_ALERT = 'al_kept';
export const SPARE_ALERT = 'al_spare';

/** No packet is older. */
export const RETAINED_FROM_MS = Date.UTC(2024, 0, 1);
/** Earliest start of a rehearsal. */
const REHEARSED_FROM_MS = Date.UTC(2024, 7, 8);

/** Rule faults as the service names them. */
function ruleFaults(rules: readonly webhook.RuleSpec[]): Fault[] {
  return rules.flatMap((rule, index) => {
    const checked = checkRule({ ...rule, params: rule.params ?? {} });
    if ('rule' in checked) return [];
    return checked.faults.map(({ path, message }) => ({
      field: `rules[${index}]${path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('')}`,
      message,
      type: 'invalid_rule',
    }));
  });
}

function ruleOf(spec: webhook.RuleSpec, index: number, symbols: readonly string[]): webhook.Rule {
  const standings = symbols.map((symbol) => createMessage(webhook.AlertStanding, { symbol, state: AlertState.UNKNOWN }));
  return { ruleId: `rul_${index}`, spec, standings };
}

/** In-memory watchlists with the service's calls. */
export function createStandInWatchlists(now: () => number) {
  const kept: { readonly tenantId: string; readonly operationId: string; watchlist: webhook.Watchlist }[] = [];

  function keep(watchlistId: string, kind: webhook.WatchlistKind): void {
    const rule = { kind: 'state_changed', params: {}, cooldownSeconds: 0, minConsecutive: 1 };
    const symbols = ['BTCUSD-PERP'];
    const times = { createdMs: now(), updatedMs: now() };
    const watchlist = { watchlistId, kind, name: 'kept', symbols, rules: [ruleOf(rule, 0, symbols)], muted: false, ...times };
    kept.push({ tenantId: 'ten_1', operationId: watchlistId, watchlist });
  }
  for (const id of [KEPT_WATCHLIST, SPARE_WATCHLIST]) keep(id, webhook.WatchlistKind.WATCHLIST);
  for (const id of [KEPT_ALERT, SPARE_ALERT]) keep(id, webhook.WatchlistKind.ALERT);

  const find = ({ tenantId, kind, watchlistId }: webhook.GetWatchlistRequest) => {
    const found = kept.find(
      (entry) => entry.tenantId === tenantId && entry.watchlist.kind === kind && entry.watchlist.watchlistId === watchlistId,
    );
    if (found === undefined) throw notFound('unknown_watchlist', 'There is no such watchlist.');
    return found;
  };
  const refuse = (rules: readonly webhook.RuleSpec[]): void => {
    const faults = ruleFaults(rules);
    if (faults.length > 0) throw invalidArgument(faults);
  };

  return {
    createWatchlist(request: webhook.CreateWatchlistRequest): webhook.CreateWatchlistResponse {
      refuse(request.rules);
      const { tenantId, operationId, kind, name, symbols, rules } = request;
      const earlier = kept.find((entry) => entry.operationId === operationId);
      if (earlier !== undefined) return { watchlist: earlier.watchlist };
      if (kept.filter((entry) => entry.tenantId === tenantId).length >= WATCHLISTS_MAX)
        throw resourceExhausted('too_many_watchlists', 'The plan allows no more.', { metadata: { limit: String(WATCHLISTS_MAX) } });
      const watchlistId = `${kind === webhook.WatchlistKind.ALERT ? 'al' : 'wl'}_${kept.length + 1}`;
      const times = { createdMs: now(), updatedMs: now() };
      const shown = rules.map((spec, index) => ruleOf(spec, index, symbols));
      const watchlist = { watchlistId, kind, name, symbols, rules: shown, muted: false, ...times };
      kept.push({ tenantId, operationId, watchlist });
      return { watchlist };
    },
    getWatchlist: (request: webhook.GetWatchlistRequest): webhook.GetWatchlistResponse => ({ watchlist: find(request).watchlist }),
    listWatchlists: ({ tenantId, kind }: webhook.ListWatchlistsRequest): webhook.ListWatchlistsResponse => ({
      watchlists: kept
        .filter((entry) => entry.tenantId === tenantId && entry.watchlist.kind === kind)
        .map(({ watchlist }) => watchlist)
        .reverse(),
      nextPageToken: '',
    }),
    updateWatchlist(request: webhook.UpdateWatchlistRequest): webhook.UpdateWatchlistResponse {
      const found = find(request);
      refuse(request.rules?.rules ?? []);
      const { watchlist } = found;
      const symbols = request.symbols.length > 0 ? request.symbols : watchlist.symbols;
      const rules = request.rules?.rules.map((spec, index) => ruleOf(spec, index, symbols)) ?? watchlist.rules;
      const { name = watchlist.name, muted = watchlist.muted } = request;
      found.watchlist = { ...watchlist, name, muted, symbols, rules };
      return { watchlist: found.watchlist };
    },
    deleteWatchlist(request: webhook.DeleteWatchlistRequest): webhook.DeleteWatchlistResponse {
      const found = find(request);
      if (found.operationId !== request.watchlistId) kept.splice(kept.indexOf(found), 1);
      return { watchlist: found.watchlist };
    },
    rehearse(request: webhook.RehearseRequest): webhook.RehearseResponse {
      refuse(request.rules);
      const { tenantId, watchlistId, symbols, fromMs, toMs } = request;
      const saved = kept.find((entry) => entry.tenantId === tenantId && entry.watchlist.watchlistId === watchlistId);
      if (watchlistId !== '' && saved === undefined) throw notFound('unknown_watchlist', 'There is no such watchlist.');
      if (toMs !== 0 && toMs <= RETAINED_FROM_MS)
        throw failedPrecondition('beyond_retention', 'Not retained.', { metadata: { oldest_ms: String(RETAINED_FROM_MS) } });
      if (fromMs !== 0 && fromMs < REHEARSED_FROM_MS) throw failedPrecondition('rehearsal_too_long', 'The span is too long.');
      const ofSymbols = saved?.watchlist.symbols ?? symbols;
      const settings = [{ minConsecutive: 1, triggered: 1, flaps: 0 }];
      const notice = { phase: 'triggered', windowEndMs: REHEARSED_FROM_MS, eventId: 'evt_1', replayCursor: 'rc1.BTCUSD-PERP.1' };
      const counts = { triggered: 1, recovered: 0, suppressed: 0, flaps: 0, holes: 0, notices: [notice], settings };
      const rules = ofSymbols.map((symbol) => ({ ruleIndex: 0, ruleId: '', symbol, ...counts, state: AlertState.FIRING }));
      const totals = { packets: 8_640, steps: 8_640, deliveries: rules.length, marketStateCredits: rules.length };
      return { fromMs: fromMs === 0 ? now() - 86_400_000 : fromMs, toMs: toMs === 0 ? now() : toMs, rules, ...totals };
    },
  };
}
