import { useQueries, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { noteServiceClock } from '../service/clock';
import { read, service } from '../service/client';
import { BOARD_SPAN_MS, type Board, type CompactPacket, withPacket, withPast } from './board';
import { type PacketStream, usePacketStream } from './packet-stream';

/** Windows of an hour. */
const HOUR_ROWS = 360;

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
  usePast(symbols, setBoard);
  const onPacket = useCallback(
    (packet: CompactPacket, receivedAtMs: number) => setBoard((before) => withPacket(before, packet, receivedAtMs)),
    [],
  );
  const stream = usePacketStream(symbols, onPacket);
  return { board, stream, error: latest.error, isLoading: latest.isPending, retry: () => void latest.refetch() };
}

/** Asks once for the last hour of each symbol. */
function usePast(symbols: readonly string[], setBoard: (change: (before: Board) => Board) => void): void {
  const [fromMs] = useState(() => Date.now() - BOARD_SPAN_MS);
  const past = useQueries({
    queries: symbols.map((symbol) => ({
      queryKey: ['history', symbol, fromMs],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        read(service.history.get({ symbol, from: new Date(fromMs).toISOString(), limit: HOUR_ROWS }, { signal })),
      staleTime: Infinity,
      gcTime: 0,
    })),
    combine: (all) => all.map(({ data }) => data),
  });
  useEffect(() => {
    for (const data of past) if (data !== undefined) setBoard((before) => withPast(before, data.symbol, data.rows));
  }, [past, setBoard]);
}
