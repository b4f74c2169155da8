import { readToken, writeToken } from '@market-state/page-token';
import { z } from 'zod';
import type { StoredPacket } from './packet';
import { type PacketReader, type PacketSpan, remaining } from './packet-reader';

const TOKEN = z.tuple([z.string(), z.int().nullable(), z.int().nullable(), z.int().nullable(), z.boolean(), z.int()]);

/**
 * An opaque token that names the position after the last packet of a page. It holds the span that it was given for, so that
 * it cannot be used with another one.
 */
export function toPageToken(span: PacketSpan, lastWindowEndMs: number): string {
  return writeToken([...spanParts(span), lastWindowEndMs]);
}

/** The window end that a token of this span stands for, or undefined when the token is not one of them. */
export function fromPageToken(span: PacketSpan, token: string): number | undefined {
  const lastWindowEndMs = readToken(TOKEN, token)?.at(-1);
  return toPageToken(span, Number(lastWindowEndMs)) === token ? Number(lastWindowEndMs) : undefined;
}

function spanParts(span: PacketSpan): (string | number | boolean | null)[] {
  return [span.symbol, span.fromMs, span.toMs, span.asOfMs, span.newestFirst];
}

/** Bodies of one page: an answer stays well under what one message may hold. */
const PAGE_BYTES_MAX = 1_024 * 1_024;
const READ_COUNT_MAX = 40;

interface PacketPage {
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
