import type { labeling } from '@market-state/contracts';
import { invalidArgument, notFound } from '@market-state/errors';
import { knownMs } from '../packets/known-time';
import type { PacketReader } from '../packets/packet-reader';
import { eventIdFaults } from './event-id';
import { instantFaults } from './instant';
import { toProtoPacket } from './wire';

export interface GetPacketDeps {
  readonly reader: Pick<PacketReader, 'find'>;
}

export function createGetPacket(deps: GetPacketDeps) {
  return async function getPacket({ eventId, asOfMs }: labeling.GetPacketRequest): Promise<labeling.GetPacketResponse> {
    const faults = [...eventIdFaults(eventId), ...instantFaults('as_of_ms', asOfMs)];
    if (faults.length > 0) throw invalidArgument(faults);
    const packet = await deps.reader.find(eventId);
    if (packet === undefined || (asOfMs > 0 && knownMs(packet) > asOfMs)) throw notFound('unknown_packet', `There is no packet with the event id ${eventId}.`);
    return { packet: toProtoPacket(packet) };
  };
}
