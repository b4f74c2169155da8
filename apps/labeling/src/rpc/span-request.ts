import { type Fault, invalidArgument, unknownSymbol } from '@market-state/errors';
import { instantFaults, optionalSpanFaults, symbolFaults, rangeFaults } from '@market-state/request-checks';
import { readToken, writeToken } from '@market-state/page-token';
import { z } from 'zod';
import { type PacketSpan, type StoredPacket, type PacketReader, remaining } from '../packets/packet';

const PAGE_SIZE_MAX = 1_000;
const PAGE_SIZE_DEFAULT = 100;

interface PageRequest {
  readonly pageSize: number;
}

export function pageSizeOf({ pageSize }: PageRequest): number {
  return pageSize === 0 ? PAGE_SIZE_DEFAULT : pageSize;
}

/** @param place decoded page token; undefined if invalid */
export function pageFaults({ pageSize }: PageRequest, place: unknown): Fault[] {
  const faults = pageSize === 0 ? [] : rangeFaults('page_size', pageSize, 1, PAGE_SIZE_MAX);
  if (place === undefined) faults.push({ field: 'page_token', message: 'is not a page token of this request', type: 'malformed' });
  return faults;
}

/** @throws ServiceError NOT_FOUND with reason `unknown_symbol` for the first symbol that is not served */
export function assertServed(symbols: readonly string[], served: readonly string[]): void {
  const unknown = symbols.find((symbol) => !served.includes(symbol));
  if (unknown !== undefined) throw unknownSymbol(unknown, served);
}

interface SpanRequest {
  readonly symbol: string;
  readonly fromWindowEndMs: number;
  readonly toWindowEndMs: number;
  readonly pageSize: number;
  readonly pageToken: string;
  readonly asOfMs?: number;
  readonly descending?: boolean;
}

interface PageWanted {
  readonly span: PacketSpan;
  /** Last window of the previous page in the span's order; null: first page. */
  readonly afterMs: number | null;
  readonly pageSize: number;
}

/** @throws ServiceError INVALID_ARGUMENT with every fault, NOT_FOUND for a symbol that is not served */
export function readSpanRequest(request: SpanRequest, served: readonly string[]): PageWanted {
  const { asOfMs = 0, descending = false } = request;
  const span: PacketSpan = {
    symbol: request.symbol,
    fromMs: givenOrNull(request.fromWindowEndMs),
    toMs: givenOrNull(request.toWindowEndMs),
    asOfMs: givenOrNull(asOfMs),
    newestFirst: descending,
  };
  const afterMs = request.pageToken === '' ? null : fromPageToken(span, request.pageToken);
  const faults = [
    ...symbolFaults(request.symbol),
    ...spanFaults(request),
    ...instantFaults('as_of_ms', asOfMs),
    ...pageFaults(request, afterMs),
  ];
  if (faults.length > 0 || afterMs === undefined) throw invalidArgument(faults);
  assertServed([request.symbol], served);
  return { span, afterMs, pageSize: pageSizeOf(request) };
}

/** Maps 0, the protobuf default, to null. */
export function givenOrNull(atMs: number): number | null {
  return atMs === 0 ? null : atMs;
}

export function spanFaults({ fromWindowEndMs, toWindowEndMs }: Pick<SpanRequest, 'fromWindowEndMs' | 'toWindowEndMs'>): Fault[] {
  return optionalSpanFaults(['from_window_end_ms', fromWindowEndMs], ['to_window_end_ms', toWindowEndMs]);
}

const TOKEN = z.tuple([z.string(), z.int().nullable(), z.int().nullable(), z.int().nullable(), z.boolean(), z.int()]);

/** Includes the span, so it is valid only for that. */
export function toPageToken(span: PacketSpan, lastWindowEndMs: number): string {
  return writeToken([...spanParts(span), lastWindowEndMs]);
}

function fromPageToken(span: PacketSpan, token: string): number | undefined {
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
