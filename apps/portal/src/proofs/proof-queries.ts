import type { Data } from '@market-state/client';
import { useQuery } from '@tanstack/react-query';
import { read, service } from '../service/client';

export type Proofs = Data<'getDemoProof'>;
export type Release = Data<'getDemoRelease'>;

/** What the service has checked of itself, on packets at least ten minutes old. For anyone, and free. */
export function useProofs() {
  return useQuery({ queryKey: ['public', 'proof'], queryFn: ({ signal }) => read(service.demo.proof({ signal })) });
}

/** Whether what runs is what was built. For anyone, and free. */
export function useRelease() {
  return useQuery({ queryKey: ['public', 'release'], queryFn: ({ signal }) => read(service.demo.release({ signal })) });
}

/** Which symbols have packets that anyone may see. */
export function usePublicSymbols() {
  return useQuery({
    queryKey: ['public', 'source quality'],
    queryFn: ({ signal }) => read(service.demo.sourceQuality({ signal })),
    select: ({ symbols }) => symbols.map(({ symbol }) => symbol),
  });
}
