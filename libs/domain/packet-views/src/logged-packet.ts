import type { Packet } from '@market-state/labeler';
import type { PacketBrief } from './packet-brief';

interface LogPosition {
  readonly windowEndMs: number;
  readonly sequence: number;
}

export interface LoggedPacket extends LogPosition {
  readonly packet: Packet;
}

/** A packet in brief or in full, with its position. */
export interface LoggedBrief extends LogPosition {
  readonly packet: PacketBrief;
}

/** Identifiers of a packet, for other views. */
export function packetName({ packet, sequence }: LoggedBrief) {
  return { event_id: packet.event_id, packet_id: packet.packet_id, sequence, window_end_utc: packet.ts };
}
