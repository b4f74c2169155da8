import type { Data } from '@market-state/client';
import { useQuery } from '@tanstack/react-query';
import { frameService, read, service } from '../service/client';
import { marketsNamed } from '../packets/market-name';

export type Proofs = Data<'getDemoProof'>;
export type Release = Data<'getDemoRelease'>;

export function useProofs() {
  return useQuery({ queryKey: ['public', 'proof'], queryFn: ({ signal }) => read(service.demo.proof({ signal })) });
}

export function useRelease() {
  return useQuery({ queryKey: ['public', 'release'], queryFn: ({ signal }) => read(service.demo.release({ signal })) });
}

export function usePublicSymbols() {
  return useQuery({
    queryKey: ['public', 'source quality'],
    queryFn: ({ signal }) => read(frameService.demo.sourceQuality({ signal })),
    select: ({ symbols }) => marketsNamed(symbols).map(({ symbol }) => symbol),
  });
}
