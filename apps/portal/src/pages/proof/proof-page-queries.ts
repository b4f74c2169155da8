import type { Data } from '@market-state/client';
import { useQuery } from '@tanstack/react-query';
import { read, service } from '../../service/client';

export type ProofBrowser = Data<'getPublicProofBrowser'>;
export type SourceQuality = Data<'getDemoSourceQuality'>;
export type Build = Data<'getDemoBuild'>;

export function useProofSteps() {
  return useQuery({ queryKey: ['public', 'packets'], queryFn: ({ signal }) => read(service.demo.publicProofBrowser({}, { signal })) });
}

export function useSourceQuality() {
  return useQuery({
    queryKey: ['public', 'source quality'],
    queryFn: ({ signal }) => read(service.demo.sourceQuality({ signal })),
  });
}

export function useBuild() {
  return useQuery({ queryKey: ['public', 'build'], queryFn: ({ signal }) => read(service.demo.build({ signal })), staleTime: Infinity });
}
