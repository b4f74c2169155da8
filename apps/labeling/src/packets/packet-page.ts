import { readToken, writeToken } from '@market-state/page-token';
import { z } from 'zod';
import { type StoredPacket, type PacketReader, type PacketSpan, remaining } from './packet';

const TOKEN = z.tuple([z.string(), z.int().nullable(), z.int().nullable(), z.int().nullable(), z.boolean(), z.int()]);

/** Includes the span, so it is valid only for that. */
export function toPageToken(span: PacketSpan, lastWindowEndMs: number): string {
  return writeToken([...spanParts(span), lastWindowEndMs]);
}

export function fromPageToken(span: PacketSpan, token: string): number | undefined {
  const lastWindowEndMs = readToken(TOKEN, token)?.at(-1);
  return toPageToken(span, Number(lastWindowEndMs)) === token ? Number(lastWindowEndMs) : undefined;
}

function spanParts(span: PacketSpan): (string | number | boolean | null)[] {
  return [span.symbol, span.fromMs, span.toMs, span.asOfMs, span.newestFirst];
}

/** Keeps a response far below the message size limit. */
const PAGE_BYTES_MAX = 1_024 * 1_024;
const READ_COUNT_MAX = 40;

interface PacketPage {
  readonly packets: readonly StoredPacket[];
  readonly nextPageToken: string;
}

/** Fewer than `pageSize`, but at least one, if their bodies fill a page. */
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
