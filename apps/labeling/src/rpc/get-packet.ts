import type { labeling } from '@market-state/contracts';
import type { PacketReader } from '../packets/packet-reader';
import { requirePacket } from './require-packet';
import { toProtoPacket } from './wire';

export interface GetPacketDeps {
  readonly reader: Pick<PacketReader, 'find'>;
}

export async function getPacket({ reader }: GetPacketDeps, request: labeling.GetPacketRequest): Promise<labeling.GetPacketResponse> {
  return { packet: toProtoPacket(await requirePacket(reader, request)) };
}
