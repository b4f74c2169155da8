import { useRead, frameService, read, service } from '../service/client';
import type { Data } from '@market-state/client';
import { useQuery } from '@tanstack/react-query';
import { marketsNamed } from '../packets/market-name';

export type Proofs = Data<'getDemoProof'>;
export type Release = Data<'getDemoRelease'>;

export function useProofs() {
  return useRead(['public', 'proof'], (options) => service.demo.proof(options));
}

export function useRelease() {
  return useRead(['public', 'release'], (options) => service.demo.release(options));
}

export function usePublicSymbols() {
  return useQuery({
    queryKey: ['public', 'source quality'],
    queryFn: ({ signal }) => read(frameService.demo.sourceQuality({ signal })),
    select: ({ symbols }) => marketsNamed(symbols).map(({ symbol }) => symbol),
  });
}
