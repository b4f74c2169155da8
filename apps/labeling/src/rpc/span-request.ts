import { type Fault, invalidArgument } from '@market-state/errors';
import { instantFaults, optionalSpanFaults, symbolFaults } from '@market-state/request-checks';
import type { PacketSpan } from '../packets/packet-span';
import { fromPageToken } from '../packets/page-token';
import { pageFaults, pageSizeOf } from './page-size';
import { assertServed } from './assert-served';

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

/** An instant of a request, of which 0 means that none was given. */
export function givenOrNull(atMs: number): number | null {
  return atMs === 0 ? null : atMs;
}

export function spanFaults({ fromWindowEndMs, toWindowEndMs }: Pick<SpanRequest, 'fromWindowEndMs' | 'toWindowEndMs'>): Fault[] {
  return optionalSpanFaults(['from_window_end_ms', fromWindowEndMs], ['to_window_end_ms', toWindowEndMs]);
}
