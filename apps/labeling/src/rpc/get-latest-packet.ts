import type { labeling } from '@market-state/contracts';
import { failedPrecondition, invalidArgument } from '@market-state/errors';
import type { PacketReader } from '../packets/packet-reader';
import { instantFaults } from './instant';
import { assertServed, symbolFaults } from './symbol';
import { toProtoPacket } from './wire';

export interface GetLatestPacketDeps {
  readonly reader: Pick<PacketReader, 'newest' | 'list'>;
  readonly symbols: readonly string[];
}

export function createGetLatestPacket({ reader, symbols }: GetLatestPacketDeps) {
  return async function getLatestPacket({ symbol, asOfMs }: labeling.GetLatestPacketRequest): Promise<labeling.GetLatestPacketResponse> {
    const faults = [...symbolFaults('symbol', symbol), ...instantFaults('as_of_ms', asOfMs)];
    if (faults.length > 0) throw invalidArgument(faults);
    assertServed([symbol], symbols);
    const packet =
      asOfMs === 0
        ? await reader.newest(symbol)
        : (await reader.list({ symbol, fromMs: null, toMs: null, asOfMs, newestFirst: true }, 1))[0];
    if (packet === undefined) throw failedPrecondition('no_packet_yet', `${symbol} has no packet yet.`);
    return { packet: toProtoPacket(packet) };
  };
}
