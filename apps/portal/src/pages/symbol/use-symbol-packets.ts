import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { TimeSpan } from '../../figures/strip-parts';
import { mergePackets, seamOf } from '../../market/series';
import { BOARD_SPAN_MS, type CompactPacket, PACKET_MS } from '../../packets/board';
import { usePacketStream } from '../../packets/packet-stream';
import { noteServiceClock } from '../../service/clock';
import { read, service } from '../../service/client';
import { readPages } from '../../service/read-pages';

const HOUR_ROWS = 360;
const NONE: readonly CompactPacket[] = [];
const ALL_TIME: readonly TimeSpan[] = [{ startMs: -Infinity, endMs: Infinity }];

async function readHistory(symbol: string, span: { readonly from: string; readonly to?: string }, signal: AbortSignal) {
  const list = service.history.rows({ symbol, ...span, limit: HOUR_ROWS, view: 'compact' }, { signal });
  return readPages(list, ({ rows }) => rows as readonly CompactPacket[]);
}

/** The newest packet of one symbol, each later one as it comes, and the hour before. `unread` has the spans that are not loaded yet. */
export function useSymbolPackets(symbol: string) {
  const latest = useQuery({
    queryKey: ['latest', symbol, 'compact'],
    queryFn: ({ signal }) => read(service.latest.get({ symbol, view: 'compact' }, { signal })),
    staleTime: Infinity,
    gcTime: 0,
  });
  const first = latest.data?.rows[0] as CompactPacket | undefined;
  const firstUtc = first?.window_end_utc ?? '';
  useEffect(() => noteServiceClock(Date.parse(firstUtc)), [firstUtc]);
  const past = useQuery({
    queryKey: ['history', symbol, firstUtc, 'compact'],
    queryFn: ({ signal }) => readHistory(symbol, { from: new Date(Date.parse(firstUtc) - BOARD_SPAN_MS).toISOString() }, signal),
    enabled: first !== undefined,
    staleTime: Infinity,
    gcTime: 0,
  });
  const [live, setLive] = useState(NONE);
  const onPacket = useCallback((packet: CompactPacket) => setLive((before) => mergePackets(before, [packet], BOARD_SPAN_MS)), []);
  const stream = usePacketStream(latest.data === undefined ? [] : [symbol], onPacket);
  const stored = past.data ?? NONE;
  const { between, unread: seam } = useSeam(symbol, seamOf(stored, live));
  const packets = useMemo(
    () => mergePackets([...(first === undefined ? NONE : [first]), ...stored, ...between], live, BOARD_SPAN_MS),
    [first, stored, between, live],
  );
  const isPastLoaded = past.data !== undefined || (latest.data !== undefined && first === undefined);
  return {
    packets,
    unread: isPastLoaded ? seam : ALL_TIME,
    stream,
    error: latest.error,
    isLoading: latest.isPending,
    retry: () => void latest.refetch(),
    past: { error: past.error, retry: () => void past.refetch() },
  };
}

/** Packets are stored some time after they are sent: what lies between is read again as often, milliseconds apart. */
const SEAM_TRIES = 3;
const SEAM_EVERY_MS = 10_000;
const NO_SPANS: readonly TimeSpan[] = [];

function useSeam(symbol: string, seam: ReturnType<typeof seamOf>) {
  const queries = useQueryClient();
  const { fromMs, toMs } = seam ?? { fromMs: 0, toMs: 0 };
  const queryKey = ['history', symbol, fromMs, toMs];
  const expectedTotal = (toMs - fromMs - 1) / PACKET_MS - 1;
  const isSettled = (rows: readonly CompactPacket[] | undefined, tries: number): boolean =>
    rows !== undefined && (tries >= SEAM_TRIES || rows.length >= expectedTotal);
  const { data } = useQuery({
    queryKey,
    queryFn: ({ signal }) => readHistory(symbol, { from: String(fromMs), to: String(toMs) }, signal),
    enabled: seam !== null,
    staleTime: Infinity,
    gcTime: 0,
    refetchInterval: ({ state: { data: rows, dataUpdateCount } }) => (isSettled(rows, dataUpdateCount) ? false : SEAM_EVERY_MS),
  });
  const isUnread = seam !== null && !isSettled(data, queries.getQueryState(queryKey)?.dataUpdateCount ?? 0);
  const unread = useMemo(() => (isUnread ? [{ startMs: fromMs, endMs: toMs }] : NO_SPANS), [isUnread, fromMs, toMs]);
  return { between: data ?? NONE, unread };
}
