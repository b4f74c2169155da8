import type { labeling } from '@market-state/contracts';
import { PACKET_FRESH_MS } from '@market-state/packet-views';
import { fromProtoSourceKind } from './source-kind';
import type { SourceKindName } from '../serving/meta/meta';
import type { Packet } from '@market-state/labeler';

/** The newest packet of a symbol as this gateway holds it. */
export interface ServedPacket {
  readonly symbol: string;
  readonly eventId: string;
  readonly packetId: string;
  readonly sequence: number;
  readonly windowEndMs: number;
  readonly generatedMs: number;
  readonly sourceLagMs: number;
  readonly packetDigest: string;
  readonly lineageDigest: string;
  /** Base64; null when the packet is not signed, as the id of its key then is. */
  readonly signature: string | null;
  readonly signingKeyId: string | null;
  readonly headline: string;
  readonly nextStep: string;
  readonly sourceKind: SourceKindName;
  /** Instant from which it is stale, milliseconds since the epoch. */
  readonly freshUntilMs: number;
  /** The packet itself. */
  readonly packet: Packet;
}

/**
 * Reads a record of the packet log. A packet is fresh until 25 s after its window's end; one whose feed plays ahead of
 * the wall clock, until 25 s after it was made. Throws when the body is not a JSON object.
 */
export function fromProtoPacket(record: labeling.PacketRecord): ServedPacket {
  const packet: unknown = JSON.parse(record.body.toString('utf8'));
  if (typeof packet !== 'object' || packet === null || Array.isArray(packet)) throw new Error(`packet ${record.packetId} is not an object`);
  return {
    symbol: record.symbol,
    eventId: record.eventId,
    packetId: record.packetId,
    sequence: record.sequence,
    windowEndMs: record.windowEndMs,
    generatedMs: record.generatedTsMs,
    sourceLagMs: record.sourceLagMs,
    packetDigest: record.packetDigest,
    lineageDigest: record.lineageDigest,
    signature: record.signature.length === 0 ? null : record.signature.toString('base64'),
    signingKeyId: record.signingKeyId === '' ? null : record.signingKeyId,
    headline: record.headline,
    nextStep: record.customerNextStep,
    sourceKind: fromProtoSourceKind(record.sourceKind),
    freshUntilMs: Math.min(record.windowEndMs, record.generatedTsMs) + PACKET_FRESH_MS,
    packet: packet as Packet,
  };
}
