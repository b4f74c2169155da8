import type { marketData } from '@market-state/contracts';
import type { Fault } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';
import {
  type Candle,
  CANDLES_MAX,
  candleSeries,
  type CandleSpan,
  openAtOrAfter,
  type SymbolMarket,
  toProtoCandle,
  toProtoSource,
} from '@market-state/live-market';
import { readToken, writeToken } from '@market-state/page-token';
import { instantFaults, optionalSpanFaults, rangeFaults, refuseFaults, symbolFaults } from '@market-state/request-checks';
import { z } from 'zod';
import type { VenueView } from '../market/venues';
import { type CandleQuery, readCandles } from '../store/candles';
import { type RpcDeps, settledAsOf } from './deps';

/** The end stays that of the first page, so that pages are consistent. */
interface CandleCursor {
  readonly openMs: number;
  readonly toMs: number;
  readonly settledMs: number;
}

type CandleRequest = Pick<marketData.ListCandlesRequest, 'symbol' | 'intervalMs' | 'asOfMs' | 'pageToken'>;

const INSTANT = z.int().min(0).max(Date.UTC(2100, 0));
const CURSOR = z.tuple([z.literal('c1'), z.string(), z.int(), z.int(), INSTANT, INSTANT, INSTANT]);

function writeCandleToken({ symbol, intervalMs, asOfMs }: CandleRequest, { openMs, toMs, settledMs }: CandleCursor): string {
  return writeToken(['c1', symbol, intervalMs, asOfMs, openMs, toMs, settledMs]);
}

/** Undefined unless it belongs to the same candles. */
function readCandleToken({ symbol, intervalMs, asOfMs, pageToken }: CandleRequest): CandleCursor | undefined {
  const values = readToken(CURSOR, pageToken);
  if (values === undefined) return undefined;
  const [, ofSymbol, ofInterval, ofAsOf, openMs, toMs, settledMs] = values;
  const isBound = ofSymbol === symbol && ofInterval === intervalMs && ofAsOf === asOfMs && openMs % intervalMs === 0;
  return isBound ? { openMs, toMs, settledMs } : undefined;
}

function candleTokenFaults(request: CandleRequest): Fault[] {
  if (request.pageToken === '' || readCandleToken(request) !== undefined) return [];
  return [{ field: 'page_token', message: 'does not come from a response for these candles', type: 'malformed' }];
}

const INTERVALS_MS = [60_000, 300_000, 900_000, 3_600_000, 14_400_000, 86_400_000];
/** Longer than other reads, for history. */
const QUERY_MS_MAX = 9_000;

export async function listCandles(
  deps: RpcDeps,
  request: marketData.ListCandlesRequest,
  context: CallContext,
): Promise<marketData.ListCandlesResponse> {
  refuseRequest(request);
  const { symbol } = request;
  const market = deps.tail.marketOf(symbol);
  const venue = deps.venues.of(symbol);
  const pageSize = request.pageSize === 0 ? CANDLES_MAX : request.pageSize;
  const wanted =
    readCandleToken(request) ?? firstWanted(request, await settledAsOf(deps, symbol, request.asOfMs), market, deps.wallNowMs());
  const timeoutMs = Math.min(QUERY_MS_MAX, (context.deadlineMs ?? Infinity) - deps.wallNowMs());

  const { candles, endMs, span } = await readPage(deps, request, wanted, pageSize, { timeoutMs, signal: context.signal }, venue);
  const nextOpenMs = candles.at(-1)?.closeMs;
  const isLast = nextOpenMs === undefined || nextOpenMs >= endMs;
  return {
    symbol,
    ...toProtoSource(venue),
    candles: candles.map(toProtoCandle),
    nextPageToken: isLast ? '' : writeCandleToken(request, { ...wanted, openMs: nextOpenMs }),
    asOfMs: wanted.settledMs,
    standing: isLast && wanted.settledMs === 0 && request.pageToken === '' ? standingOf(span) : undefined,
  };
}

function refuseRequest(request: marketData.ListCandlesRequest): void {
  const { symbol, fromMs, toMs, pageSize, intervalMs, asOfMs } = request;
  refuseFaults(
    symbolFaults(symbol),
    optionalSpanFaults(['from_ms', fromMs], ['to_ms', toMs]),
    pageSize === 0 ? [] : rangeFaults('page_size', pageSize, 1, CANDLES_MAX),
    candleTokenFaults(request),
    INTERVALS_MS.includes(intervalMs)
      ? []
      : [{ field: 'interval_ms', message: `must be one of ${INTERVALS_MS.join(', ')}`, type: 'unsupported' }],
    instantFaults('as_of_ms', asOfMs),
  );
}

function firstWanted(
  { fromMs, toMs, intervalMs }: marketData.ListCandlesRequest,
  settledMs: number,
  market: SymbolMarket,
  wallNowMs: number,
): CandleCursor {
  const nowMs = Math.min(market.clock.nowMs() ?? wallNowMs, settledMs || Infinity);
  const endMs = openAtOrAfter(Math.min(toMs || Infinity, nowMs + 1), intervalMs);
  return {
    openMs: fromMs === 0 ? Math.max(0, endMs - CANDLES_MAX * intervalMs) : openAtOrAfter(fromMs, intervalMs),
    toMs: endMs,
    settledMs,
  };
}

interface Page {
  readonly candles: readonly Candle[];
  readonly endMs: number;
  readonly span: CandleSpan;
}

function standingOf({ recorded, firstTradeMs = 0, wholeFromMs = 0 }: CandleSpan): marketData.CandleStanding {
  return { ...recorded, firstTradeMs, wholeFromMs };
}

/** Candles before the first recorded trade do not exist. */
async function readPage(
  deps: RpcDeps,
  { symbol, intervalMs }: marketData.ListCandlesRequest,
  { openMs, toMs, settledMs }: CandleCursor,
  pageSize: number,
  bounds: Pick<CandleQuery, 'timeoutMs' | 'signal'>,
  { closingLagMs }: VenueView,
): Promise<Page> {
  const span = await readCandles(deps, {
    symbol,
    intervalMs,
    fromMs: openMs,
    toMs,
    candlesMax: pageSize,
    asOfMs: settledMs || undefined,
    ...bounds,
  });
  if (span.firstTradeMs === undefined) return { candles: [], endMs: toMs, span };
  return { candles: candleSeries(span, { intervalMs, fromMs: span.fromMs, toMs: span.toMs, closingLagMs }), endMs: toMs, span };
}
