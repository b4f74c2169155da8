import type { Data } from '@market-state/client';
import { useQuery } from '@tanstack/react-query';
import { marketIn, marketWords, marketsNamed } from '../packets/market-name';
import { read, service } from './client';

const FRESH_MS = 60_000;

/** Free. `symbol` of an entry is the name of its market. */
const CATALOG = {
  queryKey: ['catalog'],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
    const catalog = await read(service.catalog.get({}, { signal }));
    return { ...catalog, symbols: [...marketsNamed(catalog.symbols)] };
  },
  staleTime: FRESH_MS,
};

export function useCatalog(refetchInterval: number | false = false) {
  return useQuery({ ...CATALOG, refetchInterval });
}

/** Names the market of an answer that always has a venue. */
export function useMarketWords(): (named: { readonly symbol: string; readonly venue: string }) => string {
  const { data } = useCatalog();
  return (named) => marketWords(marketIn(data?.symbols ?? [], named));
}

export function symbolsOf({ symbols }: Data<'getCatalog'>): readonly string[] {
  return symbols.map(({ symbol }) => symbol);
}

/** Names of the markets of the catalog; none until it is known. */
export function useSymbols(): readonly string[] {
  const { data } = useCatalog();
  return data === undefined ? [] : symbolsOf(data);
}
