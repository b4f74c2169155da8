import type { Params } from '@market-state/client';
import { useQuery } from '@tanstack/react-query';
import { type CompactPacket, PACKET_MS } from '../../packets/board';
import { service } from '../../service/client';
import { readPages } from '../../service/read-pages';
import type { Span } from '../../service/url-span';

const GAPS_MAX = 100;
const iso = (ms: number): string => new Date(ms).toISOString();

/** The packet that closes the last window of the span is one of it: windows are counted by their ends. */
const historyOf = ({ symbol, fromMs, toMs }: Span) =>
  ({
    symbol,
    from: iso(fromMs),
    to: iso(toMs + 1),
    limit: Math.ceil((toMs - fromMs) / PACKET_MS) + 1,
    view: 'compact',
  }) satisfies Params<'listHistory'>;
const gapsOf = ({ symbol, fromMs, toMs }: Span) =>
  ({ symbol, from: iso(fromMs), to: iso(toMs), limit: GAPS_MAX }) satisfies Params<'listGaps'>;

/** Most credits that the packets and gaps of a span cost. */
export function overviewCreditsAtMost(span: Span): number {
  return (service.creditsAtMost('listHistory', historyOf(span)) ?? 0) + (service.creditsAtMost('listGaps', gapsOf(span)) ?? 0);
}

/** The packets of a span, oldest first, and the gap ledger's entries: asked for once. */
export function useOverview(span: Span) {
  const { symbol, fromMs, toMs } = span;
  const packets = useQuery({
    queryKey: ['replay', 'packets', symbol, fromMs, toMs],
    queryFn: ({ signal }) => readPages(service.history.rows(historyOf(span), { signal }), ({ rows }) => rows as readonly CompactPacket[]),
    staleTime: Infinity,
    gcTime: 0,
  });
  const gaps = useQuery({
    queryKey: ['replay', 'gaps', symbol, fromMs, toMs],
    queryFn: ({ signal }) => readPages(service.gaps.rows(gapsOf(span), { signal }), ({ rows }) => rows),
    staleTime: Infinity,
    gcTime: 0,
  });
  return { packets, gaps };
}
