import type { marketData } from '@market-state/contracts';
import type { Fault } from '@market-state/errors';
import { toProtoSource } from '@market-state/live-market';
import { cutPage, readToken, writeToken } from '@market-state/page-token';
import { instantFaults, optionalSpanFaults, rangeFaults, refuseFaults, symbolFaults } from '@market-state/request-checks';
import { z } from 'zod';
import { type GapCursor, listGapRows } from '../store/gaps';
import { toProtoGap } from '../window/sent-rows';
import { type RpcDeps, refuseUnserved, settledAsOf } from './deps';

const PAGE_SIZE_MAX = 1_000;
const PAGE_SIZE = 100;

export async function listGaps(deps: RpcDeps, request: marketData.ListGapsRequest): Promise<marketData.ListGapsResponse> {
  refuseGapsRequest(request);
  const { symbol, fromMs, toMs, asOfMs } = request;
  refuseUnserved(deps, symbol);
  const pageSize = request.pageSize || PAGE_SIZE;
  const after = gapCursorOf(request);
  const ledgerMs = after?.ledgerMs ?? (await settledAsOf(deps, symbol, asOfMs));
  const gaps = await listGapRows(deps.pool, {
    symbol,
    fromMs,
    toMs: toMs || Infinity,
    asOfMs: asOfMs === 0 ? Infinity : ledgerMs,
    after,
    limit: pageSize + 1,
  });
  const { page, nextPageToken } = cutPage(gaps, pageSize, (last) => gapTokenOf(request, ledgerMs, last));
  const venue = deps.venues.of(symbol);
  return {
    symbol,
    ...toProtoSource(venue),
    gaps: page.map((gap) => toProtoGap(gap)),
    nextPageToken,
    asOfMs: ledgerMs,
  };
}

function refuseGapsRequest(request: marketData.ListGapsRequest): void {
  const { symbol, fromMs, toMs, pageSize, pageToken, asOfMs } = request;
  const token: Fault[] =
    pageToken === '' || gapCursorOf(request) !== undefined
      ? []
      : [{ field: 'page_token', message: 'does not come from a response for this symbol and span', type: 'malformed' }];
  refuseFaults(
    symbolFaults(symbol),
    optionalSpanFaults(['from_ms', fromMs], ['to_ms', toMs]),
    pageSize === 0 ? [] : rangeFaults('page_size', pageSize, 1, PAGE_SIZE_MAX),
    instantFaults('as_of_ms', asOfMs),
    token,
  );
}

const GAP_TOKEN = z.tuple([
  z.literal('g1'),
  z.string(),
  z.int(),
  z.int(),
  z.int(),
  z.int(),
  z.int(),
  z.string().regex(/^gap_[0-9A-Za-z_]{1,60}$/),
]);

function gapTokenOf({ symbol, fromMs, toMs, asOfMs }: marketData.ListGapsRequest, ledgerMs: number, { startMs, gapId }: GapCursor): string {
  return writeToken(['g1', symbol, fromMs, toMs, asOfMs, ledgerMs, startMs, gapId]);
}

/** Undefined unless it belongs to the same symbol and span. */
function gapCursorOf({ pageToken, ...request }: marketData.ListGapsRequest): (GapCursor & { readonly ledgerMs: number }) | undefined {
  const values = readToken(GAP_TOKEN, pageToken);
  if (values === undefined) return undefined;
  const [, symbol, fromMs, toMs, asOfMs, ledgerMs, startMs, gapId] = values;
  const isBound = symbol === request.symbol && fromMs === request.fromMs && toMs === request.toMs && asOfMs === request.asOfMs;
  return isBound ? { startMs, gapId, ledgerMs } : undefined;
}
