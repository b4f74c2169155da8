import type { labeling } from '@market-state/contracts';
import { failedPrecondition, invalidArgument } from '@market-state/errors';
import type { PacketReader } from '../packets/packet-reader';
import { assertServed, symbolFaults } from './symbol';
import { toProtoPacket } from './wire';

export interface GetLatestPacketDeps {
  readonly reader: Pick<PacketReader, 'newest'>;
  readonly symbols: readonly string[];
}

export function createGetLatestPacket(deps: GetLatestPacketDeps) {
  return async function getLatestPacket({ symbol }: labeling.GetLatestPacketRequest): Promise<labeling.GetLatestPacketResponse> {
    const faults = symbolFaults('symbol', symbol);
    if (faults.length > 0) throw invalidArgument(faults);
    assertServed([symbol], deps.symbols);
    const packet = await deps.reader.newest(symbol);
    if (packet === undefined) throw failedPrecondition('no_packet_yet', `${symbol} has no packet yet.`);
    return { packet: toProtoPacket(packet) };
  };
}
