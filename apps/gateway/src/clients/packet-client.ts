import type { labeling } from '@market-state/contracts';
import { failedPrecondition, isServiceError, notFound, type ServiceError } from '@market-state/errors';
import type { GrpcClient } from '@market-state/grpc';
import type { Packet } from '@market-state/labeler';
import { PACKET_FRESH_MS } from '@market-state/packet-views';
import { INSTANT_MS_MAX } from '@market-state/request-checks';
import { fromProtoSourceKind } from './market-data-client';
import { type SourceKindName, toUtc } from '../serving/meta/meta';

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
  /** Base64; null if the packet is not signed. */
  readonly signature: string | null;
  readonly signingKeyId: string | null;
  readonly headline: string;
  readonly nextStep: string;
  readonly sourceKind: SourceKindName;
  readonly freshUntilMs: number;
  readonly packet: Packet;
}

/**
 * A packet is fresh until 25 s after its window's end, or 25 s after it was made if its feed runs ahead of the wall
 * clock. Throws if the body is not a JSON object.
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

/** Read as of an instant (0: now), by symbol; empty if labeling cannot answer. */
export async function heldPackets({ call }: PacketClient, asOfMs: number): Promise<ReadonlyMap<string, labeling.HeldPackets>> {
  try {
    const { symbols } = await call.listHeldPackets({ asOfMs });
    return new Map(symbols.map((held) => [held.symbol, held]));
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return new Map();
  }
}

/** Up to an instant (0: all); null if labeling cannot answer. */
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

export function noSuchEvent(): ServiceError {
  return notFound('unknown_packet', 'No event has this id.');
}

/** @throws ServiceError `unknown_packet` if the event id is unknown or malformed */
export async function aboutEvent<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (isServiceError(error, 'unknown_packet') || (isServiceError(error) && error.faults.some(({ field }) => field === 'event_id')))
      throw noSuchEvent();
    throw error;
  }
}

/** Read as of an instant (0: now). @throws ServiceError `unknown_packet` if the id is unknown or malformed */
export async function packetOfEvent(client: PacketClient, eventId: string, asOfMs: number): Promise<labeling.PacketRecord> {
  try {
    const { packet } = await client.call.getPacket({ eventId, asOfMs });
    if (packet !== undefined) return packet;
  } catch (error) {
    if (!isServiceError(error) || (error.code !== 'INVALID_ARGUMENT' && error.code !== 'NOT_FOUND')) throw error;
  }
  throw noSuchEvent();
}

/**
 * Read as of an instant (0: now).
 * @throws ServiceError `beyond_retention` for an instant before the oldest packet, `no_packet_yet` if there is none
 */
export async function newestWindowEndAt(client: PacketClient, symbol: string, asOfMs: number): Promise<number> {
  const { before } = await client.call.listNeighbours({ symbol, windowEndMs: INSTANT_MS_MAX, before: 1, after: 0, asOfMs });
  const [newest] = before;
  return newest?.windowEndMs ?? refuseWithoutPacket(client, symbol, asOfMs);
}

/**
 * Read as of an instant (0: now).
 * @throws ServiceError `beyond_retention` for an instant before the oldest packet, `no_packet_yet` if there is none
 */
export async function newestPacket(client: PacketClient, symbol: string, asOfMs: number): Promise<labeling.PacketRecord> {
  return (await findNewestPacket(client, symbol, asOfMs)) ?? refuseWithoutPacket(client, symbol, asOfMs);
}

/** Read as of an instant (0: now); null if there was none. */
export async function findNewestPacket({ call }: PacketClient, symbol: string, asOfMs: number): Promise<labeling.PacketRecord | null> {
  try {
    return (await call.getLatestPacket({ symbol, asOfMs })).packet ?? null;
  } catch (error) {
    if (!isServiceError(error, 'no_packet_yet')) throw error;
    return null;
  }
}

async function refuseWithoutPacket(client: PacketClient, symbol: string, asOfMs: number): Promise<never> {
  await refusePacketsBeyondRetention(client, { symbol, asOfMs, toMs: 0 });
  throw failedPrecondition('no_packet_yet', `${symbol} has no packet yet.`);
}

/** Packet windows of a read that found nothing. */
interface EmptyRead {
  readonly symbol: string;
  /** 0: now. */
  readonly asOfMs: number;
  /** Exclusive; 0: no end. */
  readonly toMs: number;
}

/** @throws ServiceError `beyond_retention` with the oldest instant that would find a packet, if the read is before all of them */
export async function refusePacketsBeyondRetention({ call }: PacketClient, { symbol, asOfMs, toMs }: EmptyRead): Promise<void> {
  if (asOfMs === 0 && toMs === 0) return;
  const span = { symbol, fromWindowEndMs: 0, toWindowEndMs: 0 };
  const { packets } = await call.listPackets({ ...span, pageSize: 1, pageToken: '', descending: false, asOfMs: 0 });
  const [oldest] = packets;
  if (oldest === undefined) return;
  const isKnownLater = asOfMs !== 0 && asOfMs < oldest.knownTsMs;
  const endsBefore = toMs !== 0 && toMs <= oldest.windowEndMs;
  if (!isKnownLater && !endsBefore) return;
  const oldestMs = isKnownLater ? oldest.knownTsMs : oldest.windowEndMs;
  throw failedPrecondition('beyond_retention', `No packet of ${symbol} from before ${toUtc(oldestMs)} is retained.`, {
    metadata: { oldest_ms: String(oldestMs) },
  });
}
