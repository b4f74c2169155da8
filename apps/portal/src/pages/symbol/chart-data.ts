import type { Schemas } from '@market-state/client';
import { useQueries, useQuery, keepPreviousData } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { TimeSpan } from '../../charts/strip-parts';
import { type Candle, candlesOf, timeframeFor } from '../../market/candles';
import { type CompactPacket, PACKET_MS } from '../../packets/live-markets';
import { read, service } from '../../service/client';
import { useRunningCost } from '../../service/meter';
import { readPages } from '../../service/read-pages';
import { urlWord } from '../../service/url-state';
import { useIsSeen } from '../../service/visibility';
import { marketNamed } from '../../packets/market-name';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

export const RANGES = {
  '15m': { title: '15 min', lengthMs: 15 * MINUTE_MS },
  '1h': { title: '1 hour', lengthMs: HOUR_MS },
  '4h': { title: '4 hours', lengthMs: 4 * HOUR_MS },
  '1d': { title: '1 day', lengthMs: 24 * HOUR_MS },
  '7d': { title: '7 days', lengthMs: 168 * HOUR_MS },
} as const;
type Range = keyof typeof RANGES;
export const RANGE_NAMES = Object.keys(RANGES) as Range[];
export const URL_RANGE = urlWord(RANGE_NAMES, '1h');

/** Longer spans are drawn from candles, without packets: a day has 8,640 of them. */
export const PACKETS_SPAN_MAX_MS = 4.5 * HOUR_MS;
export const SPAN_MIN_MS = 2 * MINUTE_MS;
export const SPAN_MAX_MS = 168 * HOUR_MS;

/** An hour in three pages: one would weigh more than the smallest plan allows along with other calls. */
const PAGE_ROWS = 120;
const CREDITS_A_READ = 3;

export async function readHistory(symbol: string, span: { readonly from: string; readonly to?: string }, signal?: AbortSignal) {
  const options = signal === undefined ? {} : { signal };
  const list = service.history.rows({ symbol, ...span, limit: PAGE_ROWS, view: 'compact' }, options);
  return readPages(list, ({ rows }) => (rows as readonly CompactPacket[]).map(marketNamed));
}

/** A last page may be empty. */
const HISTORY_PAGES = HOUR_MS / PACKET_MS / PAGE_ROWS + 1;

/** Includes the last hour, which the page always reads. */
export function chartCreditsMax(symbol: string, range: Range): number {
  const { lengthMs } = RANGES[range];
  const hour = HISTORY_PAGES * (service.creditsAtMost('listHistory', { symbol, limit: PAGE_ROWS, view: 'compact' }) ?? 0);
  if (lengthMs <= PACKETS_SPAN_MAX_MS) return hour * (1 + Math.ceil(lengthMs / HOUR_MS));
  return hour + CREDITS_A_READ + SEVERE.length * (service.creditsAtMost('searchEvents', { symbol, limit: EVENTS_MAX }) ?? 0);
}

const NO_HOURS: readonly number[] = [];

interface HoursRequest {
  readonly symbol: string;
  readonly span: TimeSpan;
  /** End of the hours that may be loaded: the newest hour comes from the live view. */
  readonly untilMs: number;
  /** First packet that can be read; Infinity until known. */
  readonly oldestMs: number;
}

/** Loads each whole hour once, and nothing for a span that is too long. */
export function useHours({ symbol, span: { startMs, endMs }, untilMs, oldestMs }: HoursRequest) {
  const hours = useMemo(() => {
    if (endMs - startMs > PACKETS_SPAN_MAX_MS || oldestMs === Infinity) return NO_HOURS;
    const found: number[] = [];
    const firstMs = Math.floor(Math.max(startMs, oldestMs) / HOUR_MS) * HOUR_MS;
    for (let hourMs = firstMs; hourMs < Math.min(endMs, untilMs); hourMs += HOUR_MS) found.push(hourMs);
    return found;
  }, [startMs, endMs, untilMs, oldestMs]);
  return useQueries({
    queries: hours.map((hourMs) => ({
      queryKey: ['hour', symbol, hourMs],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        readHistory(symbol, { from: String(Math.max(hourMs, oldestMs)), to: String(hourMs + HOUR_MS) }, signal),
      staleTime: Infinity,
    })),
    combine: (results) => ({
      packets: results.flatMap(({ data }) => data ?? []),
      unread: results.flatMap(({ isPending }, index) => {
        const hourMs = hours[index] ?? 0;
        return isPending ? [{ startMs: hourMs, endMs: hourMs + HOUR_MS }] : [];
      }),
      error: results.find(({ error }) => error !== null)?.error ?? null,
    }),
  });
}

/** Requested spans are rounded out to this many candles, so that a small pan requests nothing. */
const ROUNDED_TO = 20;
const CANDLES_EVERY_MS = MINUTE_MS;

/** Candles of another zoom stay until the new ones arrive. */
export function useCandles(symbol: string, { startMs, endMs }: TimeSpan, candlesMax: number, isWanted: boolean) {
  const isSeen = useIsSeen();
  const { tf, lengthMs } = timeframeFor(endMs - startMs, candlesMax);
  const stepMs = lengthMs * ROUNDED_TO;
  const [fromMs, toMs] = [Math.floor(startMs / stepMs) * stepMs, Math.ceil(endMs / stepMs) * stepMs];
  const isCurrent = isWanted && isSeen && toMs > Date.now();
  useRunningCost('candles', isCurrent ? (CREDITS_A_READ * HOUR_MS) / CANDLES_EVERY_MS : null);
  const query = useQuery({
    queryKey: ['candles', symbol, tf, fromMs, toMs],
    queryFn: async ({ signal }): Promise<readonly Candle[]> => {
      const list = service.candles.rows({ symbol, tf, from: String(fromMs), to: String(toMs) }, { signal });
      return candlesOf(await readPages(list, ({ rows }) => rows));
    },
    enabled: isWanted,
    staleTime: CANDLES_EVERY_MS,
    refetchInterval: isCurrent ? CANDLES_EVERY_MS : false,
    placeholderData: keepPreviousData,
  });
  return { ...query, tf };
}

const EVENTS_MAX = 50;
const SEVERE = ['critical_context', 'high_context'] as const;

/** Newest packets of the two highest severity classes. */
export function useSevere(symbol: string, { startMs, endMs }: TimeSpan, isWanted: boolean) {
  const [fromMs, toMs] = [Math.floor(startMs / HOUR_MS) * HOUR_MS, Math.ceil(endMs / HOUR_MS) * HOUR_MS];
  return useQuery({
    queryKey: ['severe', symbol, fromMs, toMs],
    queryFn: async ({ signal }) => {
      const span = { symbol, from: String(fromMs), to: String(toMs), limit: EVENTS_MAX, view: 'compact' as const };
      const found = await Promise.all(SEVERE.map((name) => read(service.events.search({ ...span, severity_class: name }, { signal }))));
      return found.flatMap(({ rows }) => (rows as readonly CompactPacket[]).map(marketNamed));
    },
    enabled: isWanted,
    staleTime: 5 * MINUTE_MS,
    placeholderData: keepPreviousData,
  });
}

/** First packet that can be read; Infinity if unknown. */
export function oldestPacketMs(catalog: Schemas['Catalog'] | undefined, symbol: string): number {
  const entry = catalog?.symbols.find((each) => each.symbol === symbol);
  const first = entry?.channels.find(({ channel }) => channel === 'packets')?.first_time_utc ?? null;
  return first === null ? Infinity : Date.parse(first);
}
