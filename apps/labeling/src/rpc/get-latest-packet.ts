import type { labeling } from '@market-state/contracts';
import { failedPrecondition, invalidArgument } from '@market-state/errors';
import { instantFaults, symbolFaults } from '@market-state/request-checks';
import type { PacketReader } from '../packets/packet-reader';
import { assertServed } from './assert-served';
import { toProtoPacket } from './wire';

export interface GetLatestPacketDeps {
  readonly reader: Pick<PacketReader, 'newest' | 'list'>;
  readonly symbols: readonly string[];
}

export async function getLatestPacket(
  { reader, symbols }: GetLatestPacketDeps,
  { symbol, asOfMs }: labeling.GetLatestPacketRequest,
): Promise<labeling.GetLatestPacketResponse> {
  const faults = [...symbolFaults(symbol), ...instantFaults('as_of_ms', asOfMs)];
  if (faults.length > 0) throw invalidArgument(faults);
  assertServed([symbol], symbols);
  const packet =
    asOfMs === 0 ? await reader.newest(symbol) : (await reader.list({ symbol, fromMs: null, toMs: null, asOfMs, newestFirst: true }, 1))[0];
  if (packet === undefined) throw failedPrecondition('no_packet_yet', `${symbol} has no packet yet.`);
  return { packet: toProtoPacket(packet) };
}
