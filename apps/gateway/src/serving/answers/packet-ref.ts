import { toUtc } from '../meta/utc';
import type { ServedPacket } from '../../clients/served-packet';
import type { Described } from '../openapi/described';

/** What names a retained packet. */
export function toPacketRef(held: ServedPacket): Described<'PacketRef'> {
  return {
    symbol: held.symbol,
    packet_id: held.packetId,
    event_id: held.eventId,
    sequence: held.sequence,
    window_end_utc: toUtc(held.windowEndMs),
    packet_digest: held.packetDigest,
    lineage_digest: held.lineageDigest,
    signature: held.signature,
    signing_key_id: held.signingKeyId,
    replay_cursor: held.packet.replay.cursor,
  };
}
