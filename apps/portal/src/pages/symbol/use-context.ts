import { useQuery } from '@tanstack/react-query';
import { read, service } from '../../service/client';
import { readPages } from '../../service/read-pages';
import { useRunningCost } from '../../service/meter';
import { useIsSeen } from '../../service/visibility';

/** Context and lanes are read again as often, milliseconds: they change slowly. */
const EVERY_MS = 60_000;
/** Freshness costs nothing. */
const FRESHNESS_MS = 15_000;
const READS_AN_HOUR = 60;
const GAPS_MAX = 50;

/** What stands around the packets of a symbol, read again every minute while the page is seen: three credits each time, gaps once. */
export function useContextOf(symbol: string, fromMs: number) {
  const isSeen = useIsSeen();
  const often = { refetchInterval: isSeen ? EVERY_MS : (false as const), staleTime: EVERY_MS };
  useRunningCost('context', isSeen ? 3 * READS_AN_HOUR : null);
  return {
    asset: useQuery({
      queryKey: ['asset', symbol],
      queryFn: ({ signal }) => read(service.context.activeAsset({ symbol }, { signal })),
      ...often,
    }),
    liquidations: useQuery({
      queryKey: ['liquidations', symbol],
      queryFn: ({ signal }) => read(service.liquidations.context({ symbol }, { signal })),
      ...often,
    }),
    newest: useQuery({
      queryKey: ['latest', symbol, 'packet'],
      queryFn: ({ signal }) => read(service.latest.get({ symbol }, { signal })),
      ...often,
    }),
    freshness: useQuery({
      queryKey: ['freshness', symbol],
      queryFn: ({ signal }) => read(service.data.freshness({ symbol }, { signal })),
      refetchInterval: isSeen ? FRESHNESS_MS : false,
    }),
    gaps: useQuery({
      queryKey: ['gaps', symbol, fromMs],
      queryFn: ({ signal }) =>
        readPages(service.gaps.rows({ symbol, from: new Date(fromMs).toISOString(), limit: GAPS_MAX }, { signal }), ({ rows }) => rows),
      staleTime: Infinity,
    }),
  };
}
