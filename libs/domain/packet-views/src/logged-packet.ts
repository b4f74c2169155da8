import type { Packet } from '@market-state/labeler';
import type { PacketBrief } from './packet-brief';

/** Position of a packet in its symbol's packet log. */
interface LogPlace {
  /** T, milliseconds since the epoch. */
  readonly windowEndMs: number;
  /** Rises by 1. */
  readonly sequence: number;
}

/** A packet as it was stored. */
export interface LoggedPacket extends LogPlace {
  readonly packet: Packet;
}

/** A packet, in brief or in full. */
export interface LoggedBrief extends LogPlace {
  readonly packet: PacketBrief;
}

/** The names of a packet, for use in other views. */
export function packetName({ packet, sequence }: LoggedBrief) {
  return { event_id: packet.event_id, packet_id: packet.packet_id, sequence, window_end_utc: packet.ts };
}
