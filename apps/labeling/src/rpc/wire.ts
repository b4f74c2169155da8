import { labeling } from '@market-state/contracts';
import type { SourceKind } from '@market-state/market-data';
import type { StoredPacket } from '../packets/packet';

const SOURCE_KIND_TO_PROTO = {
  live: labeling.SourceKind.LIVE,
  recorded: labeling.SourceKind.RECORDED,
  simulated: labeling.SourceKind.SIMULATED,
} as const satisfies Record<SourceKind, labeling.SourceKind>;

export function toProtoPacket(packet: StoredPacket): labeling.PacketRecord {
  return {
    symbol: packet.symbol,
    windowEndMs: packet.windowEndMs,
    sequence: packet.sequence,
    packetId: packet.packetId,
    eventId: packet.eventId,
    body: Buffer.from(packet.body, 'utf8'),
    packetDigest: packet.packetDigest,
    lineageDigest: packet.lineageDigest,
    inputDigest: packet.inputDigest,
    policyDigest: packet.policyDigest,
    generatedTsMs: packet.generatedTsMs,
    sourceLagMs: packet.sourceLagMs,
    headline: packet.headline,
    customerNextStep: packet.customerNextStep,
    sourceKind: SOURCE_KIND_TO_PROTO[packet.sourceKind],
  };
}
