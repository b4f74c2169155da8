import type { labeling } from '@market-state/contracts';
import type { ClientCalls } from '@market-state/grpc';
import type { PacketClient } from '../clients/packet-client';
import { onlyCalls } from './delay';

type Calls = ClientCalls<labeling.LabelingServiceService>;

/**
 * The labeling service as a sandbox key sees it: packets that were known by the delayed clock, and no others.
 * @param clock the delayed clock, milliseconds since the epoch
 */
export function delayedPackets(client: PacketClient, clock: () => number): PacketClient {
  const { call } = client;
  const knownBy = (askedMs: number): number => (askedMs === 0 ? clock() : Math.min(askedMs, clock()));

  const calls: Partial<Calls> = {
    listPackets: (request, options) => call.listPackets({ ...request, asOfMs: knownBy(request.asOfMs) }, options),
    getPacketArchive: ({ symbol, toWindowEndMs }, options) => call.getPacketArchive({ symbol, toWindowEndMs: knownBy(toWindowEndMs) }, options),
    listSigningKeys: call.listSigningKeys,
    getLatestPacket: ({ symbol, asOfMs }, options) => call.getLatestPacket({ symbol, asOfMs: knownBy(asOfMs) }, options),
    getPacket: ({ eventId, asOfMs }, options) => call.getPacket({ eventId, asOfMs: knownBy(asOfMs) }, options),
  };
  return { call: onlyCalls<Calls>(calls), unaryCallTotal: (method) => client.unaryCallTotal(method), close: () => Promise.resolve() };
}
