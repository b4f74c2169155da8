import { useRead, service } from '../../service/client';
import type { Data } from '@market-state/client';

export type Construction = Data<'getPublicPacketConstruction'>;
export type Policy = Data<'getLabelingPolicy'>;
export type Taxonomy = Data<'getStateTaxonomy'>;
export type Lanes = Data<'getComputeLanes'>;

/** Published documents do not change while a page is open. */
const staleTime = Infinity;

/** Without a symbol, uses the one that the service shows first. */
export function useConstructionOf(symbol: string) {
  return useRead(
    ['public', 'construction', symbol],
    (options) => service.demo.publicPacketConstruction(symbol === '' ? {} : { symbol }, options),
    { staleTime },
  );
}

export function usePolicy() {
  return useRead(['public', 'policy'], (options) => service.demo.labelingPolicy({}, options), { staleTime });
}

export function useTaxonomy() {
  return useRead(['public', 'taxonomy'], (options) => service.demo.stateTaxonomy({}, options), { staleTime });
}

export function useLanes() {
  return useRead(['public', 'lanes'], (options) => service.demo.computeLanes(options), { staleTime });
}
