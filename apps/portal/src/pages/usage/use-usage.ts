import { useRead, read, service } from '../../service/client';
import type { Data, Params } from '@market-state/client';
import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { readPages } from '../../service/read-pages';
import type { Caps } from './refused-calls';

export type Usage = Data<'listUsage'>;

const DAY_MS = 86_400_000;
const RECEIPTS = 50;
const LIST_MAX = 1_000;

/** Whole minutes, so that all pages of a list share one window. */
const minuteUtc = (ms: number): string => new Date(Math.floor(ms / 60_000) * 60_000).toISOString();

/** Free. */
export function useUsage(days: number, keyId: string) {
  return useInfiniteQuery({
    queryKey: ['usage', days, keyId],
    queryFn: ({ signal, pageParam: { cursor, from } }) =>
      read(service.usage.get({ from, key_id: keyId, limit: RECEIPTS, ...(cursor === '' ? {} : { cursor }) }, { signal })),
    initialPageParam: { cursor: '', from: minuteUtc(Date.now() - days * DAY_MS) },
    getNextPageParam: ({ next_cursor: cursor, from_utc: from }) => (cursor === null ? null : { cursor, from }),
    placeholderData: keepPreviousData,
  });
}

export function readReceipts(days: number, keyId: string) {
  const from = minuteUtc(Date.now() - days * DAY_MS);
  return readPages(service.usage.rows({ from, key_id: keyId, limit: LIST_MAX }), ({ receipts }) => receipts);
}

export function useBalanceHistory(days: number) {
  return useRead(['usage', 'balance', days], (options) => service.usage.balance({ from: minuteUtc(Date.now() - days * DAY_MS) }, options), {
    placeholderData: keepPreviousData,
  });
}

export function useKeyNames(): ReadonlyMap<string, string> {
  const { data } = useQuery({
    queryKey: ['usage', 'key names'],
    queryFn: async ({ signal }) => {
      const rows = await readPages(service.keys.rows({ limit: 1_000 }, { signal }), (page) => page.rows);
      return new Map(rows.map(({ key_id: id, name, display }) => [id, `${name} ${display}`]));
    },
  });
  return data ?? NO_NAMES;
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

export function useReceipt(receiptId: string) {
  return useRead(['receipt', receiptId], (options) => service.usage.receipt({ receipt_id: receiptId }, options), { staleTime: Infinity });
}

const CAPS = ['account', 'spend controls'] as const;

export function useCaps() {
  return useRead(CAPS, (options) => service.spendControls.get(options));
}

export function useSetCaps() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (caps: Caps) => read(service.spendControls.set(caps)),
    onSuccess: (caps) => queries.setQueryData(CAPS, caps),
  });
}

/** Receipts start at the beginning of a month; beyond this limit only the newest are used. */
const REHEARSED_MAX = 20_000;
export const REHEARSED_DAYS = 30;

/** Receipts of the last 30 days, and earlier ones of the first month among them. */
export function useRehearsal() {
  return useMutation({
    mutationFn: async (caps: Caps) => {
      const sinceUtc = minuteUtc(Date.now() - REHEARSED_DAYS * DAY_MS);
      const receipts = await service.usage.rows({ from: `${sinceUtc.slice(0, 7)}-01T00:00:00.000Z`, limit: 1_000 }).take(REHEARSED_MAX);
      return { caps, sinceUtc, receipts, isWhole: receipts.length < REHEARSED_MAX };
    },
  });
}

export type Workload = Required<Pick<Params<'simulateTiers'>, 'calls_per_day' | 'exports_per_month'>>;

/** Free. */
export function useTiers(workload: Workload) {
  return useRead(['tiers', workload], (options) => service.usage.simulate(workload, options), { placeholderData: keepPreviousData });
}
