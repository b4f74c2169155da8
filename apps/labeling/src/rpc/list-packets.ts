import type { labeling } from '@market-state/contracts';
import { type Fault, invalidArgument } from '@market-state/errors';
import { readPage } from '../packets/packet-page';
import type { PacketReader, PacketSpan } from '../packets/packet-reader';
import { fromPageToken } from '../packets/page-token';
import { assertServed, symbolFaults } from './symbol';
import { toProtoPacket } from './wire';

const PAGE_SIZE_MAX = 1_000;
const PAGE_SIZE_DEFAULT = 100;

export interface ListPacketsDeps {
  readonly reader: Pick<PacketReader, 'list'>;
  readonly symbols: readonly string[];
}

export function createListPackets(deps: ListPacketsDeps) {
  return async function listPackets(request: labeling.ListPacketsRequest): Promise<labeling.ListPacketsResponse> {
    const span: PacketSpan = {
      symbol: request.symbol,
      fromMs: request.fromWindowEndMs === 0 ? null : request.fromWindowEndMs,
      toMs: request.toWindowEndMs === 0 ? null : request.toWindowEndMs,
    };
    const afterMs = request.pageToken === '' ? null : fromPageToken(span, request.pageToken);
    const faults = [...symbolFaults('symbol', request.symbol), ...spanFaults(request), ...pageFaults(request, afterMs)];
    if (faults.length > 0 || afterMs === undefined) throw invalidArgument(faults);
    assertServed([request.symbol], deps.symbols);
    const page = await readPage(deps.reader, span, afterMs, request.pageSize === 0 ? PAGE_SIZE_DEFAULT : request.pageSize);
    return { packets: page.packets.map(toProtoPacket), nextPageToken: page.nextPageToken };
  };
}

function spanFaults({ fromWindowEndMs, toWindowEndMs }: labeling.ListPacketsRequest): Fault[] {
  const faults: Fault[] = [];
  if (fromWindowEndMs < 0) faults.push({ field: 'from_window_end_ms', message: 'must not be negative', type: 'out_of_range' });
  if (toWindowEndMs < 0) faults.push({ field: 'to_window_end_ms', message: 'must not be negative', type: 'out_of_range' });
  if (toWindowEndMs > 0 && fromWindowEndMs >= toWindowEndMs) {
    faults.push({ field: 'to_window_end_ms', message: 'must lie after from_window_end_ms', type: 'out_of_range' });
  }
  return faults;
}

function pageFaults({ pageSize }: labeling.ListPacketsRequest, afterMs: number | null | undefined): Fault[] {
  const faults: Fault[] = [];
  if (pageSize > PAGE_SIZE_MAX) faults.push({ field: 'page_size', message: `must be at most ${PAGE_SIZE_MAX}`, type: 'out_of_range' });
  if (afterMs === undefined) faults.push({ field: 'page_token', message: 'is not a token of this request', type: 'malformed' });
  return faults;
}
