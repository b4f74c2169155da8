import type { webhook } from '@market-state/contracts';
import { idFaults, optionalSpanFaults, refuseFaults } from '@market-state/request-checks';
import { rehearseRules, type RehearsedSymbol } from '../../rehearsal/rehearse-rules';
import { findWatchlist } from '../../store/watchlists';
import { readRules, refuseUnserved, watchedFaults } from '../../watchlists/faults';
import { requireWatchlist } from '../../watchlists/require-watchlist';
import type { WatchlistDeps } from '../../watchlists/watchlist-deps';
import { ALERT_STATES } from './show-watchlist';

const DAY_MS = 86_400_000;
const SPAN_MAX_MS = 7 * DAY_MS;
/** What one endpoint is charged for a message that it takes. */
const CREDITS_A_DELIVERY = 1;

export async function rehearse(deps: WatchlistDeps, request: webhook.RehearseRequest): Promise<webhook.RehearseResponse> {
  const { tenantId, watchlistId } = request;
  const toMs = request.toMs === 0 ? deps.clock() : request.toMs;
  const fromMs = request.fromMs === 0 ? toMs - DAY_MS : request.fromMs;
  refuseFaults(
    idFaults('tenant_id', tenantId),
    optionalSpanFaults(['from_ms', request.fromMs], ['to_ms', request.toMs]),
    spanFaults(fromMs, toMs),
  );
  const asked = watchlistId === '' ? readAsked(request) : await readSaved(deps, tenantId, watchlistId);
  await refuseUnserved(deps, asked.symbols);
  const rehearsed = await rehearseRules(deps, { ...asked, fromMs, toMs });
  const rules = rehearsed.flatMap((symbol) => showSymbol(symbol, asked.ruleIds));
  const deliveries = rules.reduce((total, { triggered, recovered }) => total + triggered + recovered, 0);
  const packets = rehearsed.reduce((total, symbol) => total + symbol.packets, 0);
  const steps = packets * asked.rules.length;
  return { fromMs, toMs, packets, steps, rules, deliveries, marketStateCredits: deliveries * CREDITS_A_DELIVERY };
}

function spanFaults(fromMs: number, toMs: number) {
  return toMs - fromMs <= SPAN_MAX_MS ? [] : [{ field: 'from_ms', message: 'must be at most 7 days before the end', type: 'out_of_range' }];
}

function readAsked({ symbols, rules: drafts }: webhook.RehearseRequest) {
  const { rules, faults } = readRules(drafts, 'watchlist');
  const none = drafts.length === 0 ? [{ field: 'rules', message: 'must be 1 rule or more', type: 'too_short' }] : [];
  refuseFaults(watchedFaults(symbols, 'watchlist'), faults, none);
  return { symbols, rules, ruleIds: [] as string[] };
}

async function readSaved({ pool }: WatchlistDeps, tenantId: string, watchlistId: string) {
  const alert = await findWatchlist(pool, { tenantId, watchlistId, kind: 'alert' });
  const { symbols, rules } = alert ?? (await requireWatchlist(pool, { tenantId, watchlistId, kind: 'watchlist' }));
  return { symbols, rules: rules.map(({ spec }) => spec), ruleIds: rules.map(({ ruleId }) => ruleId) };
}

function showSymbol({ symbol, rules }: RehearsedSymbol, ruleIds: readonly string[]): webhook.RehearsedRule[] {
  return rules.map(({ state, notices, settings, ...counts }, index) => ({
    ...counts,
    ruleIndex: index,
    ruleId: ruleIds[index] ?? '',
    symbol,
    notices: notices.map((notice) => ({ ...notice })),
    settings: settings.map((setting) => ({ ...setting })),
    state: ALERT_STATES[state],
  }));
}
