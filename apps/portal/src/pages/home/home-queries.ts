import type { Data } from '@market-state/client';
import { useQuery } from '@tanstack/react-query';
import { sampleSummary } from '../../recompute/sample';
import { read, service } from '../../service/client';

export type ProofBrowser = Data<'getPublicProofBrowser'>;
export type Construction = Data<'getPublicPacketConstruction'>;

export function useSample() {
  return useQuery({ queryKey: ['sample'], queryFn: ({ signal }) => sampleSummary(signal), staleTime: Infinity });
}

export function useDelayedPackets() {
  return useQuery({ queryKey: ['public', 'packets'], queryFn: ({ signal }) => read(service.demo.publicProofBrowser({}, { signal })) });
}

export function useConstruction() {
  return useQuery({
    queryKey: ['public', 'construction'],
    queryFn: ({ signal }) => read(service.demo.publicPacketConstruction({}, { signal })),
  });
}
