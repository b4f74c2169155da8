import type { Data } from '@market-state/client';
import { useQuery } from '@tanstack/react-query';
import { read, service } from '../../service/client';

export type Workbench = Data<'getPacketWorkbench'>;
export type Evidence = Data<'getEventEvidence'>;
export type Packet = Workbench['packet'];
export type LineageRow = Workbench['lineage']['before']['rows'][number];

/** The packet itself never changes, but its later packets do. */
export function useWorkbench(eventId: string) {
  return useQuery({
    queryKey: ['workbench', eventId],
    queryFn: ({ signal }) => read(service.packets.workbench({ event_id: eventId }, { signal })),
    staleTime: Infinity,
  });
}

export function useEvidence(eventId: string) {
  return useQuery({
    queryKey: ['evidence', eventId],
    queryFn: ({ signal }) => read(service.events.evidence({ event_id: eventId }, { signal })),
    staleTime: Infinity,
  });
}
