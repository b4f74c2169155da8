import type { Data } from '@market-state/client';
import { useQuery } from '@tanstack/react-query';
import { sampleSummary } from '../../recompute/sample';
import { read, service } from '../../service/client';

export type ProofBrowser = Data<'getPublicProofBrowser'>;
export type Construction = Data<'getPublicPacketConstruction'>;

/** What is shown of the sample that comes with the portal. */
export function useSample() {
  return useQuery({ queryKey: ['sample'], queryFn: ({ signal }) => sampleSummary(signal), staleTime: Infinity });
}

/** Packets at least ten minutes old, for anyone. */
export function useDelayedPackets() {
  return useQuery({ queryKey: ['public', 'packets'], queryFn: ({ signal }) => read(service.demo.publicProofBrowser({}, { signal })) });
}

/** How one of them was made. */
export function useConstruction() {
  return useQuery({
    queryKey: ['public', 'construction'],
    queryFn: ({ signal }) => read(service.demo.publicPacketConstruction({}, { signal })),
  });
}
