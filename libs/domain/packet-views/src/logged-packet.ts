import type { Packet } from '@market-state/labeler';

/** A packet as it was stored, with its place in the symbol's packet log. */
export interface LoggedPacket {
  readonly packet: Packet;
  /** T, milliseconds since the epoch. */
  readonly windowEndMs: number;
  /** Place in the packet log of the symbol, rising by 1. */
  readonly sequence: number;
}

/** A packet as its other views name it. */
export function packetName({ packet, sequence }: LoggedPacket) {
  return { event_id: packet.event_id, packet_id: packet.packet_id, sequence, window_end_utc: packet.ts };
}
