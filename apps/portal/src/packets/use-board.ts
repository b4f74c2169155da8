import { useQueries, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { noteServiceClock } from '../service/clock';
import { read, service } from '../service/client';
import { readPages } from '../service/read-pages';
import { BOARD_SPAN_MS, type Board, type CompactPacket, withPacket, withPast } from './board';
import { type PacketStream, usePacketStream } from './packet-stream';

const NONE: readonly CompactPacket[] = [];
/** Windows of an hour. */
const HOUR_ROWS = 360;

/** Most credits that a board costs for each symbol before its stream: the newest packet, and the states of its last hour. */
export const OPENING_CREDITS_PER_SYMBOL =
  (service.creditsAtMost('getLatest', { symbol: 'BTCUSD-PERP' }) ?? 0) +
  (service.creditsAtMost('listHistory', { symbol: 'BTCUSD-PERP', limit: HOUR_ROWS }) ?? 0);

export interface LiveBoard {
  readonly board: Board;
  readonly stream: PacketStream;
  /** Why there is no board; null where there is one, or it is still to come. */
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly retry: () => void;
}

/** The newest packets of a symbol, or with `ALL` of every one, with the states of their last hour, as they come. */
export function useBoard(symbol: string): LiveBoard {
  const [board, setBoard] = useState<Board>(() => new Map());
  const latest = useQuery({
    queryKey: ['latest', symbol, 'compact'],
    queryFn: ({ signal }) => read(service.latest.get({ symbol, view: 'compact' }, { signal })),
    staleTime: Infinity,
    gcTime: 0,
  });
  useEffect(() => {
    if (latest.data === undefined) return;
    noteServiceClock(Date.parse(latest.data.packet_freshness.window_end_utc ?? ''));
    const packets = latest.data.rows as readonly CompactPacket[];
    setBoard((before) => packets.reduce((all, packet) => withPacket(all, packet), before));
  }, [latest.data]);

  const symbols = [...board.keys()].sort();
  usePast((latest.data?.rows ?? NONE) as readonly CompactPacket[], setBoard);
  const onPacket = useCallback(
    (packet: CompactPacket, receivedAtMs: number) => setBoard((before) => withPacket(before, packet, receivedAtMs)),
    [],
  );
  const stream = usePacketStream(symbols, onPacket);
  return { board, stream, error: latest.error, isLoading: latest.isPending, retry: () => void latest.refetch() };
}

/** Reads once the hour up to the newest packet of each symbol. */
function usePast(newest: readonly CompactPacket[], setBoard: (change: (before: Board) => Board) => void): void {
  const past = useQueries({
    queries: newest.map(({ symbol, window_end_utc: endUtc }) => ({
      queryKey: ['history', symbol, endUtc],
      queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
        const from = new Date(Date.parse(endUtc) - BOARD_SPAN_MS).toISOString();
        return { symbol, rows: await readPages(service.history.rows({ symbol, from, limit: HOUR_ROWS }, { signal }), ({ rows }) => rows) };
      },
      staleTime: Infinity,
      gcTime: 0,
    })),
    combine: (all) => all.map(({ data }) => data),
  });
  useEffect(() => {
    for (const data of past) if (data !== undefined) setBoard((before) => withPast(before, data.symbol, data.rows));
  }, [past, setBoard]);
}
