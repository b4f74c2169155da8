import { useRead, read, service } from '../../service/client';
import { LOOK_BACK_WINDOWS, WINDOW_MS } from '@market-state/alert-rules/rehearsal';
import type { OperationId, Params, Schemas } from '@market-state/client';
import { counted } from '@market-state/packet-figures';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { readPages } from '../../service/read-pages';
import { noteCall } from '../../service/meter';
import type { Span } from '../../service/url-state';
import type { HistoryRow, LoadedHistory } from './rehearse-here';
import { type Rule, toWire } from './rule';
import { marketNamed } from '../../packets/market-name';

const ALERTS = ['alerts'] as const;
const LIST_MAX = 1_000;
const ROWS_A_PAGE = 1_000;

export function costWords<K extends OperationId>(id: K, params: Params<K>): string {
  const credits = service.creditsAtMost(id, params);
  return credits === null ? '' : credits === 0 ? 'free' : `costs ${counted(credits, 'credit')} at most`;
}

export type AlertRecord = Schemas['AlertRecord'];
export type WatchlistRecord = Schemas['WatchlistRecord'];

function ruleWithMarkets<Rule extends AlertRecord['rule']>(rule: Rule): Rule {
  return { ...rule, standings: rule.standings.map(marketNamed) };
}

function withMarkets(alert: AlertRecord): AlertRecord {
  return { ...marketNamed(alert), rule: ruleWithMarkets(alert.rule) };
}

/** `symbol` of an alert, and of a rule's states, is the name of its market. */
export function useLists() {
  return useQuery({
    queryKey: [...ALERTS, 'lists'],
    queryFn: async ({ signal }) => {
      const [alerts, watchlists] = await Promise.all([
        readPages(service.alerts.rows({ limit: LIST_MAX }, { signal }), (page) => page.alerts),
        readPages(service.watchlists.rows({ limit: LIST_MAX }, { signal }), (page) => page.watchlists),
      ]);
      return {
        alerts: alerts.map(withMarkets),
        watchlists: watchlists.map((list) => ({ ...list, rules: list.rules.map(ruleWithMarkets) })),
      };
    },
  });
}

function useChange<Wish, Made>(send: (wish: Wish) => Promise<Made>, onDone?: (made: Made) => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: send,
    async onSuccess(made) {
      await queries.invalidateQueries({ queryKey: [...ALERTS, 'lists'] });
      onDone?.(made);
    },
  });
}

export const useCreateAlert = () => useChange((wish: Params<'createAlert'>) => read(service.alerts.create(wish)));

export const useUpdateAlert = () => useChange((wish: Params<'updateAlert'>) => read(service.alerts.update(wish)));

export const useDeleteAlert = (onDone: () => void) =>
  useChange((alertId: string) => read(service.alerts.delete({ alert_id: alertId })), onDone);

export const useCreateWatchlist = (onDone: (made: WatchlistRecord) => void) =>
  useChange((wish: Params<'createWatchlist'>): Promise<WatchlistRecord> => read(service.watchlists.create(wish)), onDone);

export const useUpdateWatchlist = () => useChange((wish: Params<'updateWatchlist'>) => read(service.watchlists.update(wish)));

export const useDeleteWatchlist = (onDone: () => void) =>
  useChange((watchlistId: string) => read(service.watchlists.delete({ watchlist_id: watchlistId })), onDone);

export function useRehearseWatchlist() {
  return useMutation({
    mutationFn: async (wish: Params<'rehearseWatchlist'>) => {
      const { data, call } = await service.watchlists.rehearse(wish);
      noteCall(call);
      return { rehearsal: data, charged: call.charged };
    },
  });
}

/** Windows before the span that these rules look back at. */
function lookbackOf(rules: readonly Rule[]): number {
  return rules.some(({ kind }) => kind === 'score_change') ? LOOK_BACK_WINDOWS : 1;
}

function rowsOf({ fromMs, toMs }: Span, rules: readonly Rule[]): number {
  return Math.ceil((toMs - fromMs) / WINDOW_MS) + lookbackOf(rules);
}

export function historyCredits(span: Span, rules: readonly Rule[]): number {
  const rows = rowsOf(span, rules);
  const pageOf = (limit: number): number => service.creditsAtMost('listHistory', { symbol: span.symbol, limit }) ?? 0;
  const limit = Math.min(ROWS_A_PAGE, rows);
  return Math.ceil(rows / limit) * pageOf(limit);
}

/** Loaded on request and charged once. */
export function useHistory(span: Span, rules: readonly Rule[]) {
  const lookbackMs = lookbackOf(rules);
  return useQuery({
    queryKey: [...ALERTS, 'history', span.symbol, span.fromMs, span.toMs, lookbackMs],
    queryFn: async ({ signal }): Promise<LoadedHistory> => {
      const loaded: HistoryRow[] = [];
      const params = {
        symbol: span.symbol,
        from: new Date(span.fromMs - lookbackMs * WINDOW_MS).toISOString(),
        to: new Date(span.toMs).toISOString(),
        limit: Math.min(ROWS_A_PAGE, rowsOf(span, rules)),
      };
      for await (const { data, call } of service.history.rows(params, { signal }).pages()) {
        noteCall(call);
        loaded.push(...(data.rows as readonly HistoryRow[]));
      }
      const endOf = (row: HistoryRow): number => Date.parse(row.window_end_utc);
      const sorted = loaded.sort((a, b) => endOf(a) - endOf(b));
      return {
        before: sorted.filter((row) => endOf(row) < span.fromMs),
        rows: sorted.filter((row) => endOf(row) >= span.fromMs && endOf(row) < span.toMs),
      };
    },
    enabled: false,
    staleTime: Infinity,
  });
}

export function useConfirm() {
  return useMutation({
    mutationFn: ({ span, rules }: { readonly span: Span; readonly rules: readonly Rule[] }) =>
      read(
        service.alerts.rehearse({
          symbols: [span.symbol],
          rules: rules.map(toWire),
          from: new Date(span.fromMs).toISOString(),
          to: new Date(span.toMs).toISOString(),
        }),
      ),
  });
}

export function useSavedSearch(searchId: string) {
  return useRead([...ALERTS, 'search', searchId], (options) => service.savedSearches.get({ saved_search_id: searchId }, options), {
    enabled: searchId !== '',
    staleTime: Infinity,
  });
}
