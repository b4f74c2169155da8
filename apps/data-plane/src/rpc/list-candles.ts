import type { marketData } from '@market-state/contracts';
import type { CallContext } from '@market-state/grpc';
import { type Candle, candleSeries, openAtOrAfter, openAtOrBefore } from '../market/candle-series';
import type { SymbolMarket } from '../market/symbol-market';
import type { VenueView } from '../market/venue';
import { readCandles } from '../store/candles';
import type { RpcDeps } from './deps';
import { type CandleCursor, pageTokenFaults, readPageToken, writePageToken } from './page-token';
import { instantFaults, rangeFaults, refuseFaults, symbolFaults } from './request-faults';
import { toProtoSourceKind } from './to-proto';

const PAGE_SIZE_MAX = 1_000;
const MINUTE_MS = 60_000;
/** History has longer than other reads. */
const QUERY_MS_MAX = 9_000;

/** One-minute candles from the recorded rows, a page at a time. */
export async function listCandles(deps: RpcDeps, request: marketData.ListCandlesRequest, context: CallContext): Promise<marketData.ListCandlesResponse> {
  refuseRequest(request);
  const { symbol } = request;
  const market = deps.tail.marketOf(symbol);
  const venue = deps.venues.of(symbol);
  const pageSize = request.pageSize === 0 ? PAGE_SIZE_MAX : request.pageSize;
  const wanted = firstWanted(request, market, deps.wallNowMs());
  const timeoutMs = Math.min(QUERY_MS_MAX, (context.deadlineMs ?? Infinity) - deps.wallNowMs());

  const { candles, endMs } = await readPage(deps, wanted, pageSize, timeoutMs, venue);
  const nextOpenMs = candles.at(-1)?.closeMs;
  return {
    symbol,
    venue: venue.venue,
    sourceKind: toProtoSourceKind(venue.sourceKind),
    candles: candles.map(toProtoCandle),
    nextPageToken: nextOpenMs === undefined || nextOpenMs >= endMs ? '' : writePageToken({ symbol, openMs: nextOpenMs, toMs: wanted.toMs }),
  };
}

function refuseRequest({ symbol, fromMs, toMs, pageSize, pageToken, intervalMs }: marketData.ListCandlesRequest): void {
  refuseFaults(
    symbolFaults(symbol),
    instantFaults('from_ms', fromMs),
    instantFaults('to_ms', toMs),
    fromMs > 0 && toMs > 0 && toMs <= fromMs ? [{ field: 'to_ms', message: 'must lie after from_ms', type: 'out_of_range' }] : [],
    pageSize === 0 ? [] : rangeFaults('page_size', pageSize, 1, PAGE_SIZE_MAX),
    pageTokenFaults(pageToken, symbol),
    intervalMs === MINUTE_MS ? [] : [{ field: 'interval_ms', message: `must be ${MINUTE_MS}`, type: 'unsupported' }],
  );
}

/** Where the page begins and where all pages end: of the token, or of the request with its defaults filled. */
function firstWanted(request: marketData.ListCandlesRequest, market: SymbolMarket, wallNowMs: number): CandleCursor {
  const { symbol, fromMs, toMs, pageToken } = request;
  const resumed = readPageToken(pageToken, symbol);
  if (resumed !== undefined) return resumed;
  const nowMs = market.clock.nowMs() ?? wallNowMs;
  const endMs = openAtOrAfter(Math.min(toMs === 0 ? Infinity : toMs, nowMs + 1), MINUTE_MS);
  return { symbol, openMs: fromMs === 0 ? Math.max(0, endMs - PAGE_SIZE_MAX * MINUTE_MS) : openAtOrAfter(fromMs, MINUTE_MS), toMs: endMs };
}

interface Page {
  readonly candles: readonly Candle[];
  /** Exclusive end of all pages. */
  readonly endMs: number;
}

/** The page's minutes; those before the first trade retained do not exist. */
async function readPage(deps: RpcDeps, wanted: CandleCursor, pageSize: number, timeoutMs: number, { closingLagMs }: VenueView): Promise<Page> {
  const { symbol, toMs } = wanted;
  const read = async (fromMs: number) => {
    const endMs = Math.min(toMs, fromMs + pageSize * MINUTE_MS);
    return { fromMs, endMs, span: await readCandles(deps, { symbol, intervalMs: MINUTE_MS, fromMs, toMs: endMs, asOfMs: undefined, timeoutMs }) };
  };
  let page = await read(wanted.openMs);
  const { firstTradeMs } = page.span;
  if (firstTradeMs === undefined) return { candles: [], endMs: toMs };
  const firstMs = openAtOrBefore(firstTradeMs, MINUTE_MS);
  if (firstMs > page.fromMs) page = await read(firstMs);
  return { candles: candleSeries(page.span, { intervalMs: MINUTE_MS, fromMs: page.fromMs, toMs: page.endMs, closingLagMs }), endMs: toMs };
}

function toProtoCandle({ openMs, closeMs, row, complete, gap }: Candle): marketData.Candle {
  return {
    openTsMs: openMs,
    closeTsMs: closeMs,
    open: row?.open ?? '',
    high: row?.high ?? '',
    low: row?.low ?? '',
    close: row?.close ?? '',
    volume: row?.volume ?? '0',
    notional: row?.notional ?? '0',
    tradeTotal: row?.tradeTotal ?? 0,
    complete,
    gap,
  };
}
