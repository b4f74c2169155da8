import type { Data } from '@market-state/client';
import { useQuery } from '@tanstack/react-query';
import { read, service } from '../../service/client';

export type ProofBrowser = Data<'getPublicProofBrowser'>;
export type SourceQuality = Data<'getDemoSourceQuality'>;
export type Build = Data<'getDemoBuild'>;

/** What is proved of packets at least ten minutes old, step by step. */
export function useProofSteps() {
  return useQuery({ queryKey: ['public', 'packets'], queryFn: ({ signal }) => read(service.demo.publicProofBrowser({}, { signal })) });
}

/** How whole the sources of each symbol are over the last day. */
export function useSourceQuality() {
  return useQuery({
    queryKey: ['public', 'source quality'],
    queryFn: ({ signal }) => read(service.demo.sourceQuality({ signal })),
  });
}

/** What was built, part by part. */
export function useBuild() {
  return useQuery({ queryKey: ['public', 'build'], queryFn: ({ signal }) => read(service.demo.build({ signal })), staleTime: Infinity });
}
