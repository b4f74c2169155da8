import type { labeling } from '@market-state/contracts';
import { failedPrecondition, isServiceError, notFound, type ServiceError } from '@market-state/errors';
import type { GrpcClient } from '@market-state/grpc';
import { INSTANT_MS_MAX } from '@market-state/request-checks';

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
