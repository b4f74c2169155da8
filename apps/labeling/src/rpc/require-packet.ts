import { invalidArgument, notFound } from '@market-state/errors';
import { eventIdFaults, instantFaults } from '@market-state/request-checks';
import type { StoredPacket } from '../packets/packet';
import type { PacketReader } from '../packets/packet-reader';

/** An event, as of an instant (0: now). */
interface EventAsked {
  readonly eventId: string;
  readonly asOfMs: number;
}

/** @throws ServiceError INVALID_ARGUMENT with every fault, NOT_FOUND with reason `unknown_packet` where no such packet was known by then */
export async function requirePacket(reader: Pick<PacketReader, 'find'>, { eventId, asOfMs }: EventAsked): Promise<StoredPacket> {
  const faults = [...eventIdFaults(eventId), ...instantFaults('as_of_ms', asOfMs)];
  if (faults.length > 0) throw invalidArgument(faults);
  const packet = await reader.find(eventId);
  if (packet === undefined || (asOfMs > 0 && packet.knownTsMs > asOfMs))
    throw notFound('unknown_packet', `There is no packet with the event id ${eventId}.`);
  return packet;
}
