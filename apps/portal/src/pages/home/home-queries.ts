import { useRead, service } from '../../service/client';
import type { Data } from '@market-state/client';
import { useQuery } from '@tanstack/react-query';
import { sampleSummary } from '../../recompute/sample';

export type ProofBrowser = Data<'getPublicProofBrowser'>;
export type Construction = Data<'getPublicPacketConstruction'>;

export function useSample() {
  return useQuery({ queryKey: ['sample'], queryFn: ({ signal }) => sampleSummary(signal), staleTime: Infinity });
}

export function useDelayedPackets() {
  return useRead(['public', 'packets'], (options) => service.demo.publicProofBrowser({}, options));
}

export function useConstruction() {
  return useRead(['public', 'construction'], (options) => service.demo.publicPacketConstruction({}, options));
}
