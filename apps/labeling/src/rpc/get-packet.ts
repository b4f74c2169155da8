import type { labeling } from '@market-state/contracts';
import { invalidArgument, notFound } from '@market-state/errors';
import type { PacketReader } from '../packets/packet-reader';
import { toProtoPacket } from './wire';

/** `evt_` and 26 Crockford base32 characters, lower case. */
const EVENT_ID = /^evt_[0-9a-hjkmnp-tv-z]{26}$/;

export interface GetPacketDeps {
  readonly reader: Pick<PacketReader, 'find'>;
}

export function createGetPacket(deps: GetPacketDeps) {
  return async function getPacket({ eventId }: labeling.GetPacketRequest): Promise<labeling.GetPacketResponse> {
    if (!EVENT_ID.test(eventId)) throw invalidArgument([{ field: 'event_id', message: 'must be evt_ and 26 characters', type: 'malformed' }]);
    const packet = await deps.reader.find(eventId);
    if (packet === undefined) throw notFound('unknown_packet', `There is no packet with the event id ${eventId}.`);
    return { packet: toProtoPacket(packet) };
  };
}
