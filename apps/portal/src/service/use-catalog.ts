import type { Data } from '@market-state/client';
import { useQuery } from '@tanstack/react-query';
import { read, service } from './client';

const FRESH_MS = 60_000;

/** Free. */
const CATALOG = {
  queryKey: ['catalog'],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => read(service.catalog.get({}, { signal })),
  staleTime: FRESH_MS,
};

export function useCatalog(refetchInterval: number | false = false) {
  return useQuery({ ...CATALOG, refetchInterval });
}

export function symbolsOf({ symbols }: Data<'getCatalog'>): readonly string[] {
  return symbols.map(({ symbol }) => symbol);
}
