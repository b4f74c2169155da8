import { useQuery } from '@tanstack/react-query';
import { read, service } from './client';

const FRESH_MS = 60_000;

/** Which symbols there are, and how far back each of their channels is kept; read again as often, milliseconds. Costs nothing. */
export function useCatalog(refetchInterval: number | false = false) {
  return useQuery({
    queryKey: ['catalog'],
    queryFn: ({ signal }) => read(service.catalog.get({}, { signal })),
    staleTime: FRESH_MS,
    refetchInterval,
  });
}
