import { marketData } from '@market-state/contracts';
import { failedPrecondition, isServiceError, type ServiceError, toServiceError } from '@market-state/errors';
import {
  readTrades,
  TAPE_LENGTH,
  readLiquidations,
  readContext,
  bookFacts,
  bookOfLog,
  passedId,
  readBook,
  type SymbolMarket,
  toProtoSync,
} from '@market-state/live-market';
import { rangeFaults, refuseFaults, symbolFaults } from '@market-state/request-checks';
import type { RpcDeps } from './deps';
import type { VenueView } from '../market/venues';

const DEPTH_MAX = 1_000;
/** Short enough that the log's book remains current. */
const FEED_DEADLINE_MS = 500;

/**
 * Uses the log's book if it is deep enough; otherwise the feed's deep book, falling back to the log's (at most 25
 * levels per side).
 */
export async function getBook(deps: RpcDeps, request: marketData.GetBookRequest): Promise<marketData.GetBookResponse> {
  const { symbol, depth } = request;
  refuseFaults(symbolFaults(symbol), rangeFaults('depth', depth, 1, DEPTH_MAX));
  const market = deps.tail.marketOf(symbol);
  const venue = deps.venues.of(symbol);
  const whole = readBook(market, venue, request);
  if (whole !== null) return whole;
  try {
    return await fromFeed(deps, venue, request);
  } catch (thrown) {
    const error = toServiceError(thrown);
    if (error.code === 'CANCELLED') throw error;
    return fromLog(deps, market, venue, request, error);
  }
}

async function fromFeed(
  { feeds }: RpcDeps,
  venue: VenueView,
  { symbol, depth }: marketData.GetBookRequest,
): Promise<marketData.GetBookResponse> {
  const book = await feeds.deepBook({ symbol, depth }, FEED_DEADLINE_MS);
  return {
    ...bookFacts(venue),
    symbol,
    bids: book.bids,
    asks: book.asks,
    sequence: passedId(book.pass, book.venueId),
    pass: book.pass,
    venueId: book.venueId,
    exchangeTsMs: book.exchangeTsMs,
    receivedTsMs: book.receivedTsMs,
    freshnessMs: Math.max(0, book.feedClockMs - book.exchangeTsMs),
    origin: marketData.BookOrigin.FEED,
    sync: toProtoSync(book.syncState),
  };
}

function fromLog(
  { logger }: RpcDeps,
  market: SymbolMarket,
  venue: VenueView,
  { symbol, depth }: marketData.GetBookRequest,
  cause: ServiceError,
): marketData.GetBookResponse {
  const book = market.lastBook;
  if (book === undefined) throw failedPrecondition('book_not_available', `No order book of ${symbol} received yet.`, { cause });
  if (!isServiceError(cause, 'book_not_available'))
    logger.warn({ symbol, err: cause }, 'the feed returned no book; serving the last one from the log');
  return bookOfLog(market, venue, { book, depth, origin: marketData.BookOrigin.EVENT_LOG });
}

export async function getActiveAsset(
  { tail, venues }: RpcDeps,
  { symbol }: marketData.GetActiveAssetRequest,
): Promise<marketData.GetActiveAssetResponse> {
  refuseFaults(symbolFaults(symbol));
  return readContext(tail.marketOf(symbol), venues.of(symbol));
}

export async function getLiquidations(
  { tail, venues }: RpcDeps,
  request: marketData.GetLiquidationsRequest,
): Promise<marketData.GetLiquidationsResponse> {
  const { symbol, windowSeconds } = request;
  refuseFaults(symbolFaults(symbol), rangeFaults('window_seconds', windowSeconds, 30, 3_600));
  return readLiquidations(tail.marketOf(symbol), venues.of(symbol), request);
}

export async function listTrades({ tail, venues }: RpcDeps, request: marketData.ListTradesRequest): Promise<marketData.ListTradesResponse> {
  const { symbol, limit } = request;
  refuseFaults(symbolFaults(symbol), rangeFaults('limit', limit, 1, TAPE_LENGTH));
  return readTrades(tail.marketOf(symbol), venues.of(symbol), request);
}
