import { marketData } from '@market-state/contracts';
import type { BookEvent } from '@market-state/market-data';
import { passedId, toProtoLevel, toProtoSourceKind } from '../proto-names';
import type { ReadVenue } from '../read-venue';
import type { BookSync, SymbolMarket } from '../symbol-market';

/** Levels a side that a book of the log has, or as many as the venue sent. */
const LOG_LEVELS = 25;

const SYNC_TO_PROTO: Readonly<Record<BookSync, marketData.BookSync>> = {
  in_sync: marketData.BookSync.IN_SYNC,
  resyncing: marketData.BookSync.RESYNCING,
  degraded: marketData.BookSync.DEGRADED,
};

/** Unspecified for a word that is none. */
export function toProtoSync(sync: string): marketData.BookSync {
  return Object.hasOwn(SYNC_TO_PROTO, sync) ? SYNC_TO_PROTO[sync as BookSync] : marketData.BookSync.UNSPECIFIED;
}

/** What every book says of its venue. */
export function bookFacts(venue: ReadVenue) {
  return { venue: venue.venue, sourceKind: toProtoSourceKind(venue.sourceKind), stalenessLimitMs: venue.stalenessMs('book') };
}

/** The feed's book out of its log; null where the log does not hold as many levels, or the book does not follow the venue now. */
export function readBook(
  market: SymbolMarket,
  venue: ReadVenue,
  { depth }: Pick<marketData.GetBookRequest, 'depth'>,
): marketData.GetBookResponse | null {
  const { lastBook, bookSync } = market;
  if (lastBook === undefined || bookSync !== 'in_sync' || depth > LOG_LEVELS) return null;
  return bookOfLog(market, venue, { book: lastBook, depth, origin: marketData.BookOrigin.FEED });
}

/** A book of the log as it is answered. */
export function bookOfLog(
  market: SymbolMarket,
  venue: ReadVenue,
  { book, depth, origin }: { readonly book: BookEvent; readonly depth: number; readonly origin: marketData.BookOrigin },
): marketData.GetBookResponse {
  return {
    ...bookFacts(venue),
    symbol: market.symbol,
    bids: book.bids.slice(0, depth).map(toProtoLevel),
    asks: book.asks.slice(0, depth).map(toProtoLevel),
    sequence: passedId(book.pass, book.venueId),
    pass: book.pass,
    venueId: book.venueId,
    exchangeTsMs: book.exchangeTsMs,
    receivedTsMs: book.receivedTsMs,
    freshnessMs: market.clock.ageMs(book.exchangeTsMs),
    origin,
    sync: toProtoSync(market.bookSync),
  };
}
