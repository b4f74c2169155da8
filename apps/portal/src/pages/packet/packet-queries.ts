import type { Data } from '@market-state/client';
import { useQuery } from '@tanstack/react-query';
import { read, service } from '../../service/client';

export type Workbench = Data<'getPacketWorkbench'>;
export type Evidence = Data<'getEventEvidence'>;
export type Packet = Workbench['packet'];
export type LineageRow = Workbench['lineage']['before']['rows'][number];

/** Credit limit of the two reads below. */
export function packetCreditsMax(eventId: string): number {
  const params = { event_id: eventId };
  return (service.creditsAtMost('getPacketWorkbench', params) ?? 0) + (service.creditsAtMost('getEventEvidence', params) ?? 0);
}

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
