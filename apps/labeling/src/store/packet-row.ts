import type { CopyValue } from '@market-state/postgres';
import type { Packet } from '../generated/prisma/client';
import type { StoredPacket } from '../packets/packet';

/** Columns of table `packet` in the order of `toPacketRow`. */
export const PACKET_COLUMNS = [
  'symbol',
  'window_end_ms',
  'sequence',
  'packet_id',
  'event_id',
  'body',
  'packet_digest',
  'lineage_digest',
  'input_digest',
  'policy_digest',
  'generated_ts_ms',
  'source_lag_ms',
  'headline',
  'customer_next_step',
  'source_kind',
] as const;

export function toPacketRow(packet: StoredPacket): readonly CopyValue[] {
  return [
    packet.symbol,
    packet.windowEndMs,
    packet.sequence,
    packet.packetId,
    packet.eventId,
    packet.body,
    packet.packetDigest,
    packet.lineageDigest,
    packet.inputDigest,
    packet.policyDigest,
    packet.generatedTsMs,
    packet.sourceLagMs,
    packet.headline,
    packet.customerNextStep,
    packet.sourceKind,
  ];
}

export function fromPacketRow(row: Packet): StoredPacket {
  return {
    ...row,
    windowEndMs: Number(row.windowEndMs),
    sequence: Number(row.sequence),
    generatedTsMs: Number(row.generatedTsMs),
    sourceLagMs: Number(row.sourceLagMs),
  };
}
