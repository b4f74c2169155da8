import { LOOK_BACK_WINDOWS, WINDOW_MS } from '@market-state/alert-rules/rehearsal';
import type { OperationId, Params, Schemas } from '@market-state/client';
import { counted } from '@market-state/packet-figures';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { read, service } from '../../service/client';
import { noteCall } from '../../service/meter';
import type { Span } from '../../service/url-span';
import type { HistoryRow, LoadedHistory } from './rehearse-here';
import { type Rule, toWire } from './rule';

const ALERTS = ['alerts'] as const;
const LIST_MAX = 1_000;
const ROWS_A_PAGE = 1_000;

/** What a call of this page costs at most, in words. */
export function costWords<K extends OperationId>(id: K, params: Params<K>): string {
  const credits = service.creditsAtMost(id, params);
  return credits === null ? '' : `costs ${counted(credits, 'credit')} at most`;
}

/** One rule of an alert or of a watchlist, and where it stands on each symbol. */
export interface ListedRule {
  readonly ownerId: string;
  readonly isAlert: boolean;
  readonly name: string;
  readonly muted: boolean;
  readonly rule: Schemas['RuleRecord'];
}

/** Most credits that reading both lists of rules costs. */
export const RULES_CREDITS = (service.creditsAtMost('listAlerts', {}) ?? 0) + (service.creditsAtMost('listWatchlists', {}) ?? 0);

/** Every rule of the tenant: alerts first, then those of watchlists. */
export function useRules() {
  return useQuery({
    queryKey: [...ALERTS, 'rules'],
    queryFn: async ({ signal }): Promise<readonly ListedRule[]> => {
      const [alerts, watchlists] = await Promise.all([
        read(service.alerts.list({ limit: LIST_MAX }, { signal })),
        read(service.watchlists.list({ limit: LIST_MAX }, { signal })),
      ]);
      return [
        ...alerts.alerts.map(({ alert_id: ownerId, name, muted, rule }) => ({ ownerId, isAlert: true, name, muted, rule })),
        ...watchlists.watchlists.flatMap(({ watchlist_id: ownerId, name, muted, rules }) =>
          rules.map((rule) => ({ ownerId, isAlert: false, name, muted, rule })),
        ),
      ];
    },
  });
}

function useChange<Wish>(send: (wish: Wish) => Promise<unknown>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn: send, onSuccess: () => queries.invalidateQueries({ queryKey: ALERTS }) });
}

export const useSaveAlert = () => useChange((wish: Params<'createAlert'>) => read(service.alerts.create(wish)));

export const useMuteRule = () =>
  useChange(({ ownerId, isAlert, muted }: ListedRule) =>
    isAlert
      ? read(service.alerts.update({ alert_id: ownerId, muted: !muted }))
      : read(service.watchlists.update({ watchlist_id: ownerId, muted: !muted })),
  );

export const useDeleteAlert = () => useChange((alertId: string) => read(service.alerts.delete({ alert_id: alertId })));

/** Windows before a span that rules of these kinds look back at. */
function lookBackOf(rules: readonly Rule[]): number {
  return rules.some(({ kind }) => kind === 'score_change') ? LOOK_BACK_WINDOWS : 1;
}

/** Rows that a span has at most, with those from before it. */
function rowsOf({ fromMs, toMs }: Span, rules: readonly Rule[]): number {
  return Math.ceil((toMs - fromMs) / WINDOW_MS) + lookBackOf(rules);
}

/** Most credits that loading the history of a span costs. */
export function historyCredits(span: Span, rules: readonly Rule[]): number {
  const rows = rowsOf(span, rules);
  const pageOf = (limit: number): number => service.creditsAtMost('listHistory', { symbol: span.symbol, limit }) ?? 0;
  const limit = Math.min(ROWS_A_PAGE, rows);
  return Math.ceil(rows / limit) * pageOf(limit);
}

/** The history that rules are run over in this browser: loaded when it is asked for, and paid once. */
export function useHistory(span: Span, rules: readonly Rule[]) {
  const lookBack = lookBackOf(rules);
  return useQuery({
    queryKey: [...ALERTS, 'history', span.symbol, span.fromMs, span.toMs, lookBack],
    queryFn: async ({ signal }): Promise<LoadedHistory> => {
      const loaded: HistoryRow[] = [];
      const params = {
        symbol: span.symbol,
        from: new Date(span.fromMs - lookBack * WINDOW_MS).toISOString(),
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

/** The same by the service, which has all that rules read. */
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
  return useQuery({
    queryKey: [...ALERTS, 'search', searchId],
    queryFn: ({ signal }) => read(service.savedSearches.get({ saved_search_id: searchId }, { signal })),
    enabled: searchId !== '',
    staleTime: Infinity,
  });
}
