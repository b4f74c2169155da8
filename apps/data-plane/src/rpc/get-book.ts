import { marketData } from '@market-state/contracts';
import { failedPrecondition, isServiceError, type ServiceError, toServiceError } from '@market-state/errors';
import { rangeFaults, refuseFaults, symbolFaults } from '@market-state/request-checks';
import type { SymbolMarket } from '../market/symbol-market';
import type { VenueView } from '../market/venue';
import type { RpcDeps } from './deps';
import { passedId, toProtoLevel, toProtoSourceKind } from './to-proto';

const DEPTH_MAX = 1_000;
/** Time the feed has to answer: short enough that the book of the log is still worth having. */
const FEED_DEADLINE_MS = 500;

/** The feed's full book; the log's last book (at most 25 levels a side) when the feed gives none. */
export async function getBook(deps: RpcDeps, request: marketData.GetBookRequest): Promise<marketData.GetBookResponse> {
  const { symbol, depth } = request;
  refuseFaults(symbolFaults(symbol), rangeFaults('depth', depth, 1, DEPTH_MAX));
  const market = deps.tail.marketOf(symbol);
  const venue = deps.venues.of(symbol);
  try {
    return await fromFeed(deps, venue, request);
  } catch (thrown) {
    const error = toServiceError(thrown);
    if (error.code === 'CANCELLED') throw error;
    return fromLog(deps, market, venue, request, error);
  }
}

async function fromFeed(
  { feed }: RpcDeps,
  venue: VenueView,
  { symbol, depth }: marketData.GetBookRequest,
): Promise<marketData.GetBookResponse> {
  const book = await feed.call.getDeepBook({ symbol, depth }, { deadlineMs: FEED_DEADLINE_MS });
  return {
    ...factsOf(venue),
    symbol,
    bids: book.bids,
    asks: book.asks,
    sequence: passedId(book.pass, book.venueId),
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
  if (book === undefined) throw failedPrecondition('book_not_available', `No book of ${symbol} was seen yet.`, { cause });
  if (!isServiceError(cause, 'book_not_available'))
    logger.warn({ symbol, err: cause }, 'the feed gave no book; the last one of the log is served');
  return {
    ...factsOf(venue),
    symbol,
    bids: book.bids.slice(0, depth).map(toProtoLevel),
    asks: book.asks.slice(0, depth).map(toProtoLevel),
    sequence: passedId(book.pass, book.venueId),
    exchangeTsMs: book.exchangeTsMs,
    receivedTsMs: book.receivedTsMs,
    freshnessMs: market.clock.ageMs(book.exchangeTsMs),
    origin: marketData.BookOrigin.EVENT_LOG,
    sync: toProtoSync(market.bookSync),
  };
}

function factsOf(venue: VenueView) {
  return {
    venue: venue.venue,
    sourceKind: toProtoSourceKind(venue.sourceKind),
    stalenessLimitMs: venue.stalenessMs('book'),
  };
}

function toProtoSync(syncState: string): marketData.BookSync {
  switch (syncState) {
    case 'in_sync':
      return marketData.BookSync.IN_SYNC;
    case 'resyncing':
      return marketData.BookSync.RESYNCING;
    case 'degraded':
      return marketData.BookSync.DEGRADED;
    default:
      return marketData.BookSync.UNSPECIFIED;
  }
}
