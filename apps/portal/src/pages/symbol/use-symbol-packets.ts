import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { BOARD_SPAN_MS, type CompactPacket, PACKET_MS } from '../../packets/board';
import { usePacketStream } from '../../packets/packet-stream';
import { read, service } from '../../service/client';
import { mergePackets, seamOf } from '../../market/series';

const HOUR_ROWS = 360;
const NONE: readonly CompactPacket[] = [];

/** An hour of packets of one symbol, and each new one as it comes. */
export function useSymbolPackets(symbol: string) {
  const [fromMs] = useState(() => Date.now() - BOARD_SPAN_MS);
  const past = useQuery({
    queryKey: ['history', symbol, fromMs, 'compact'],
    queryFn: ({ signal }) =>
      read(service.history.get({ symbol, from: new Date(fromMs).toISOString(), limit: HOUR_ROWS, view: 'compact' }, { signal })),
    staleTime: Infinity,
    gcTime: 0,
  });
  const [live, setLive] = useState(NONE);
  const onPacket = useCallback((packet: CompactPacket) => setLive((before) => mergePackets(before, [packet], BOARD_SPAN_MS)), []);
  const stream = usePacketStream(past.data === undefined ? [] : [symbol], onPacket);
  const stored = (past.data?.rows ?? NONE) as readonly CompactPacket[];
  const between = useSeam(symbol, seamOf(stored, live));
  const packets = useMemo(() => mergePackets([...stored, ...between], live, BOARD_SPAN_MS), [stored, between, live]);
  return { packets, stream, error: past.error, isLoading: past.isPending, retry: () => void past.refetch() };
}

/** Packets are stored some time after they are sent: what lies between is asked for as often, milliseconds apart. */
const SEAM_TRIES = 3;
const SEAM_EVERY_MS = 10_000;

function useSeam(symbol: string, seam: ReturnType<typeof seamOf>): readonly CompactPacket[] {
  const span = seam ?? { fromMs: 0, toMs: 0 };
  const { data } = useQuery({
    queryKey: ['history', symbol, span.fromMs, span.toMs],
    queryFn: ({ signal }) =>
      read(
        service.history.get({ symbol, from: String(span.fromMs), to: String(span.toMs), limit: HOUR_ROWS, view: 'compact' }, { signal }),
      ),
    enabled: seam !== null,
    staleTime: Infinity,
    gcTime: 0,
    refetchInterval: ({ state: { data: had, dataUpdateCount } }) =>
      dataUpdateCount < SEAM_TRIES && (had?.rows.length ?? 0) < (span.toMs - span.fromMs - 1) / PACKET_MS - 1 ? SEAM_EVERY_MS : false,
  });
  return (data?.rows ?? NONE) as readonly CompactPacket[];
}
