import { useRead, service } from '../../service/client';
import type { Data } from '@market-state/client';

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
  return useRead(['workbench', eventId], (options) => service.packets.workbench({ event_id: eventId }, options), { staleTime: Infinity });
}

export function useEvidence(eventId: string) {
  return useRead(['evidence', eventId], (options) => service.events.evidence({ event_id: eventId }, options), { staleTime: Infinity });
}
