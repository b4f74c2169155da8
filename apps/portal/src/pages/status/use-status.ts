import { useRead, read, service } from '../../service/client';
import type { Data } from '@market-state/client';
import { useMutation, useQueries } from '@tanstack/react-query';
import { noteCall } from '../../service/meter';
import { useReadiness } from '../../service/use-readiness';
import { useCatalog } from '../../service/use-catalog';
import { useIsSeen } from '../../service/visibility';

export type Health = Data<'getDataHealth'>;
export type Freshness = Data<'getDataFreshness'>;
export type Catalog = Data<'getCatalog'>;

const EVERY_MS = 15_000;

/** Polls while the page is visible. Free. */
export function useStatus() {
  const refetchInterval = useIsSeen() ? EVERY_MS : (false as const);
  const readiness = useReadiness(refetchInterval);
  const health = useRead(['health'], (options) => service.data.health(options), { refetchInterval });
  const catalog = useCatalog(refetchInterval);
  const names = (catalog.data?.symbols ?? []).map(({ symbol }) => symbol);
  const freshness = useQueries({
    queries: names.map((symbol) => ({
      queryKey: ['freshness', symbol],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => read(service.data.freshness({ symbol }, { signal })),
      refetchInterval,
    })),
    combine: (all) => new Map(all.flatMap(({ data }, index) => (data === undefined ? [] : [[names[index] ?? '', data] as const]))),
  });
  return { readiness, health, catalog, freshness };
}

/** Completed days rarely change. */
const DAYS_EVERY_MS = 60_000;

/** Statistics are recorded per minute. */
const RECORD_EVERY_MS = 60_000;

export function useCondition(symbol: string) {
  const refetchInterval = useIsSeen() ? DAYS_EVERY_MS : (false as const);
  return useRead(['condition', symbol], (options) => service.data.condition({ symbol }, options), { refetchInterval });
}

export function useAccuracy() {
  const refetchInterval = useIsSeen() ? DAYS_EVERY_MS : (false as const);
  return useRead(['accuracy'], (options) => service.status.accuracy({ symbol: 'ALL' }, options), { refetchInterval });
}

const INCIDENTS_MAX = 50;

export function useIncidents() {
  const refetchInterval = useIsSeen() ? RECORD_EVERY_MS : (false as const);
  return useRead(['incidents'], (options) => service.status.incidents({ symbol: 'ALL', limit: INCIDENTS_MAX }, options), {
    refetchInterval,
  });
}

export function useLatency() {
  const refetchInterval = useIsSeen() ? RECORD_EVERY_MS : (false as const);
  return useRead(['latency'], (options) => service.status.latency({ symbol: 'ALL' }, options), { refetchInterval });
}

export function useSla() {
  const refetchInterval = useIsSeen() ? RECORD_EVERY_MS : (false as const);
  return useRead(['sla'], (options) => service.status.sla({ symbol: 'ALL' }, options), { refetchInterval });
}

export function useProofsNow() {
  return useMutation({
    mutationFn: async () => {
      const { data, call } = await service.status.proof();
      noteCall(call);
      return { proofs: data, charged: call.charged };
    },
  });
}

const DAY_MS = 86_400_000;
const ROWS_MAX = 100;

export interface Ledger {
  readonly symbol: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly rows: Data<'listGaps'>['rows'];
  readonly isWhole: boolean;
}

/** Null if only the service knows the cost. */
export function ledgerCredits(symbols: readonly string[]): number | null {
  const each = symbols.map((symbol) => service.creditsAtMost('listGaps', { symbol, limit: ROWS_MAX }));
  return each.reduce<number | null>((sum, credits) => (sum === null || credits === null ? null : sum + credits), 0);
}

export function useLedgers() {
  return useMutation({
    mutationFn: async (symbols: readonly string[]) => {
      const toMs = Date.now();
      const fromMs = toMs - DAY_MS;
      const answers = await Promise.all(
        symbols.map((symbol) => service.gaps.list({ symbol, from: new Date(fromMs).toISOString(), limit: ROWS_MAX })),
      );
      for (const { call } of answers) noteCall(call);
      return {
        ledgers: answers.map(
          ({ data }, index): Ledger => ({
            symbol: symbols[index] ?? '',
            fromMs,
            toMs,
            rows: data.rows,
            isWhole: data.next_cursor === null,
          }),
        ),
        charged: answers.reduce((sum, { call }) => sum + (call.charged ?? 0), 0),
      };
    },
  });
}
