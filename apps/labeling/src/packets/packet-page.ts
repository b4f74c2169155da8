import type { StoredPacket } from './packet';
import type { PacketReader } from './packet-reader';
import { type PacketSpan, remaining } from './packet-span';
import { toPageToken } from './page-token';

/** Bodies of one page: an answer stays well under what one message may hold. */
const PAGE_BYTES_MAX = 1_024 * 1_024;
const READ_COUNT_MAX = 40;

export interface PacketPage {
  readonly packets: readonly StoredPacket[];
  /** Empty at the end of the span. */
  readonly nextPageToken: string;
}

/** Up to `pageSize` packets of the span beyond the window `afterMs`; fewer, but at least one, when their bodies fill a page before. */
export async function readPage(
  reader: Pick<PacketReader, 'list'>,
  span: PacketSpan,
  afterMs: number | null,
  pageSize: number,
): Promise<PacketPage> {
  const readCount = Math.min(READ_COUNT_MAX, pageSize + 1);
  const packets: StoredPacket[] = [];
  let sizeBytes = 0;
  let lastMs = afterMs;
  for (;;) {
    const read = await reader.list(remaining(span, lastMs), readCount);
    for (const packet of read) {
      sizeBytes += Buffer.byteLength(packet.body);
      const full = packets.length === pageSize || (packets.length > 0 && sizeBytes > PAGE_BYTES_MAX);
      if (full && lastMs !== null) return { packets, nextPageToken: toPageToken(span, lastMs) };
      packets.push(packet);
      lastMs = packet.windowEndMs;
    }
    if (read.length < readCount) return { packets, nextPageToken: '' };
  }
}
