import type { labeling } from '@market-state/contracts';
import { readPage } from '../packets/packet-page';
import type { PacketReader } from '../packets/packet-reader';
import { readSpanRequest } from './span-request';
import { toProtoPacket } from './wire';

export interface ListPacketsDeps {
  readonly reader: Pick<PacketReader, 'list'>;
  readonly symbols: readonly string[];
}

export async function listPackets(deps: ListPacketsDeps, request: labeling.ListPacketsRequest): Promise<labeling.ListPacketsResponse> {
  const { span, afterMs, pageSize } = readSpanRequest(request, deps.symbols);
  const page = await readPage(deps.reader, span, afterMs, pageSize);
  return { packets: page.packets.map(toProtoPacket), nextPageToken: page.nextPageToken };
}
