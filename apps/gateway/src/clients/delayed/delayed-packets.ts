import type { labeling } from '@market-state/contracts';
import { notFound } from '@market-state/errors';
import type { ClientCalls } from '@market-state/grpc';
import type { PacketClient } from '../packet-client';
import { onlyCalls } from './delay';
import { readPinnedToken, writePinnedToken } from './pinned-token';

type Calls = ClientCalls<labeling.LabelingServiceService>;

/**
 * The labeling service as a sandbox key sees it: packets that were known by the delayed clock, and no others.
 * @param clock the delayed clock, milliseconds since the epoch
 */
export function delayedPackets(client: PacketClient, clock: () => number): PacketClient {
  const { call } = client;
  const knownBy = (askedMs: number): number => (askedMs === 0 ? clock() : Math.min(askedMs, clock()));

  /** A page as of the delayed clock: those that follow are as of the same instant. */
  async function pageOf<Q extends { readonly asOfMs: number; readonly pageToken: string }, A extends { readonly nextPageToken: string }>(
    request: Q,
    read: (request: Q) => Promise<A>,
  ): Promise<A> {
    const pinned = readPinnedToken(request.pageToken, knownBy(request.asOfMs));
    const answer = await read({ ...request, ...pinned });
    return { ...answer, nextPageToken: writePinnedToken({ asOfMs: pinned.asOfMs, pageToken: answer.nextPageToken }) };
  }

  const calls: Partial<Calls> = {
    listPackets: (request, options) => pageOf(request, (page) => call.listPackets(page, options)),
    listNeighbours: (request, options) => call.listNeighbours({ ...request, asOfMs: knownBy(request.asOfMs) }, options),
    searchEvents: (request, options) => pageOf(request, (page) => call.searchEvents(page, options)),
    listHistory: (request, options) => pageOf(request, (page) => call.listHistory(page, options)),
    getStability: (request, options) => call.getStability({ ...request, asOfMs: knownBy(request.asOfMs) }, options),
    verifyEvent: (request, options) => call.verifyEvent({ ...request, asOfMs: knownBy(request.asOfMs) }, options),
    getPacketArchive: ({ symbol, toWindowEndMs }, options) =>
      call.getPacketArchive({ symbol, toWindowEndMs: knownBy(toWindowEndMs) }, options),
    listHeldPackets: ({ asOfMs }, options) => call.listHeldPackets({ asOfMs: knownBy(asOfMs) }, options),
    listCheckpoints: (request, options) => call.listCheckpoints({ ...request, toWindowEndMs: knownBy(request.toWindowEndMs) }, options),
    getCheckpoint(request, options) {
      if (request.windowEndMs > clock()) throw notFound('checkpoint_not_found', 'There is no checkpoint as old as that.');
      return call.getCheckpoint(request, options);
    },
    listSigningKeys: call.listSigningKeys,
    getLatestPacket: ({ symbol, asOfMs }, options) => call.getLatestPacket({ symbol, asOfMs: knownBy(asOfMs) }, options),
    getPacket: ({ eventId, asOfMs }, options) => call.getPacket({ eventId, asOfMs: knownBy(asOfMs) }, options),
  };
  return { call: onlyCalls<Calls>(calls), unaryCallTotal: (method) => client.unaryCallTotal(method), close: () => Promise.resolve() };
}
