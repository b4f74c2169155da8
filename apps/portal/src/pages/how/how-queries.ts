import type { Data } from '@market-state/client';
import { useQuery } from '@tanstack/react-query';
import { read, service } from '../../service/client';

export type Construction = Data<'getPublicPacketConstruction'>;
export type Policy = Data<'getLabelingPolicy'>;
export type Taxonomy = Data<'getStateTaxonomy'>;
export type Lanes = Data<'getComputeLanes'>;

/** Published documents do not change while a page is open. */
const staleTime = Infinity;

/** Without a symbol, uses the one that the service shows first. */
export function useConstructionOf(symbol: string) {
  return useQuery({
    queryKey: ['public', 'construction', symbol],
    queryFn: ({ signal }) => read(service.demo.publicPacketConstruction(symbol === '' ? {} : { symbol }, { signal })),
    staleTime,
  });
}

export function usePolicy() {
  return useQuery({
    queryKey: ['public', 'policy'],
    queryFn: ({ signal }) => read(service.demo.labelingPolicy({}, { signal })),
    staleTime,
  });
}

export function useTaxonomy() {
  return useQuery({
    queryKey: ['public', 'taxonomy'],
    queryFn: ({ signal }) => read(service.demo.stateTaxonomy({}, { signal })),
    staleTime,
  });
}

export function useLanes() {
  return useQuery({ queryKey: ['public', 'lanes'], queryFn: ({ signal }) => read(service.demo.computeLanes({ signal })), staleTime });
}
