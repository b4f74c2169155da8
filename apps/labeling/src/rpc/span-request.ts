import { type Fault, invalidArgument } from '@market-state/errors';
import type { PacketSpan } from '../packets/packet-span';
import { fromPageToken } from '../packets/page-token';
import { instantFaults } from './instant';
import { assertServed, symbolFaults } from './symbol';

const PAGE_SIZE_MAX = 1_000;
const PAGE_SIZE_DEFAULT = 100;

/** What every request for things of a span of windows, page by page, has in common. */
export interface SpanRequest {
  readonly symbol: string;
  readonly fromWindowEndMs: number;
  readonly toWindowEndMs: number;
  readonly pageSize: number;
  readonly pageToken: string;
  /** Of requests that can be for an instant, or the other way round. */
  readonly asOfMs?: number;
  readonly descending?: boolean;
}

/** A page to read. */
export interface PageWanted {
  readonly span: PacketSpan;
  /** The page holds what comes after this window in the span's order; null: the first page. */
  readonly afterMs: number | null;
  readonly pageSize: number;
}

/** @throws ServiceError INVALID_ARGUMENT with every fault, NOT_FOUND for a symbol that is not served. */
export function readSpanRequest(request: SpanRequest, served: readonly string[]): PageWanted {
  const { asOfMs = 0, descending = false } = request;
  const span: PacketSpan = {
    symbol: request.symbol,
    fromMs: request.fromWindowEndMs === 0 ? null : request.fromWindowEndMs,
    toMs: request.toWindowEndMs === 0 ? null : request.toWindowEndMs,
    asOfMs: asOfMs === 0 ? null : asOfMs,
    newestFirst: descending,
  };
  const afterMs = request.pageToken === '' ? null : fromPageToken(span, request.pageToken);
  const faults = [...symbolFaults('symbol', request.symbol), ...spanFaults(request), ...instantFaults('as_of_ms', asOfMs), ...pageFaults(request, afterMs)];
  if (faults.length > 0 || afterMs === undefined) throw invalidArgument(faults);
  assertServed([request.symbol], served);
  return { span, afterMs, pageSize: request.pageSize === 0 ? PAGE_SIZE_DEFAULT : request.pageSize };
}

function spanFaults({ fromWindowEndMs, toWindowEndMs }: SpanRequest): Fault[] {
  const faults: Fault[] = [];
  if (fromWindowEndMs < 0) faults.push({ field: 'from_window_end_ms', message: 'must not be negative', type: 'out_of_range' });
  if (toWindowEndMs < 0) faults.push({ field: 'to_window_end_ms', message: 'must not be negative', type: 'out_of_range' });
  if (toWindowEndMs > 0 && fromWindowEndMs >= toWindowEndMs) {
    faults.push({ field: 'to_window_end_ms', message: 'must lie after from_window_end_ms', type: 'out_of_range' });
  }
  return faults;
}

function pageFaults({ pageSize }: SpanRequest, afterMs: number | null | undefined): Fault[] {
  const faults: Fault[] = [];
  if (pageSize > PAGE_SIZE_MAX) faults.push({ field: 'page_size', message: `must be at most ${PAGE_SIZE_MAX}`, type: 'out_of_range' });
  if (afterMs === undefined) faults.push({ field: 'page_token', message: 'is not a token of this request', type: 'malformed' });
  return faults;
}
