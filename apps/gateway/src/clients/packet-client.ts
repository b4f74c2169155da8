import type { labeling } from '@market-state/contracts';
import { failedPrecondition, isServiceError, notFound, type ServiceError } from '@market-state/errors';
import type { GrpcClient } from '@market-state/grpc';
import type { Packet } from '@market-state/labeler';
import { PACKET_FRESH_MS } from '@market-state/packet-views';
import { INSTANT_MS_MAX } from '@market-state/request-checks';
import { fromProtoSourceKind } from './market-data-client';
import type { SourceKindName } from '../serving/meta/meta';

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

export type PacketClient = GrpcClient<labeling.LabelingServiceService>;

/** What is kept of the packets of each symbol as of an instant (0: now), by symbol; none when labeling cannot tell. */
export async function heldPackets({ call }: PacketClient, asOfMs: number): Promise<ReadonlyMap<string, labeling.HeldPackets>> {
  try {
    const { symbols } = await call.listHeldPackets({ asOfMs });
    return new Map(symbols.map((held) => [held.symbol, held]));
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return new Map();
  }
}

/** What the archive holds of the packets of a symbol up to an instant (0: all); null when labeling cannot tell. */
export async function packetArchive(
  client: PacketClient,
  symbol: string,
  asOfMs: number,
): Promise<labeling.GetPacketArchiveResponse | null> {
  try {
    return await client.call.getPacketArchive({ symbol, toWindowEndMs: asOfMs === 0 ? 0 : asOfMs + 1 });
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return null;
  }
}

/** What is told of an event id that there is not, or that is malformed. */
export function noSuchEvent(): ServiceError {
  return notFound('unknown_packet', 'There is no event with this id.');
}

/** What labeling answers about an event. @throws ServiceError `unknown_packet` for an id that there is not, malformed ones too */
export async function aboutEvent<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (isServiceError(error, 'unknown_packet') || (isServiceError(error) && error.faults.some(({ field }) => field === 'event_id')))
      throw noSuchEvent();
    throw error;
  }
}

/**
 * The packet of an event, if it was known at an instant (0: now). @throws ServiceError `unknown_packet` for an id that there is not,
 * malformed ones too
 */
export async function packetOfEvent(client: PacketClient, eventId: string, asOfMs: number): Promise<labeling.PacketRecord> {
  try {
    const { packet } = await client.call.getPacket({ eventId, asOfMs });
    if (packet !== undefined) return packet;
  } catch (error) {
    if (!isServiceError(error) || (error.code !== 'INVALID_ARGUMENT' && error.code !== 'NOT_FOUND')) throw error;
  }
  throw noSuchEvent();
}

/** Window end of the newest packet of a symbol that was known at an instant. @throws ServiceError `no_packet_yet` before its first */
export async function newestWindowEndAt({ call }: PacketClient, symbol: string, asOfMs: number): Promise<number> {
  const { before } = await call.listNeighbours({ symbol, windowEndMs: INSTANT_MS_MAX, before: 1, after: 0, asOfMs });
  const [newest] = before;
  if (newest === undefined) throw noPacketYet(symbol);
  return newest.windowEndMs;
}

function noPacketYet(symbol: string): ServiceError {
  return failedPrecondition('no_packet_yet', `${symbol} has no packet yet.`);
}

/** The newest packet of a symbol that was known at an instant (0: now). @throws ServiceError `no_packet_yet` before its first */
export async function newestPacket(client: PacketClient, symbol: string, asOfMs: number): Promise<labeling.PacketRecord> {
  const { packet } = await client.call.getLatestPacket({ symbol, asOfMs });
  if (packet === undefined) throw noPacketYet(symbol);
  return packet;
}
