import type { BookEvent, BookLevel } from '../event';
import { type Comparison, ComparisonTally, nothingCompared } from './comparison';
import type { BestPrice, BestPrices } from './venue-answers';

/** Values of the top of a book: price and size of both sides. */
export const BOOK_VALUES = 4;

/** A span of which book rows may be missing, milliseconds since the epoch; `endMs` Infinity while it is open. */
export interface MissingSpan {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * Holds the top of the recorded books against the venue's answer. The book of the same update id, or time, must have the same prices
 * and sizes. The log has books of instants: where it has none of that one, each price must be that of the book before or of the one
 * after, or lie between them. Nothing is compared where there is no book on either side, or a gap lies between them.
 * @param books around the answer, in the order of the log
 */
export function compareBook(books: readonly BookEvent[], theirs: BestPrices, missing: readonly MissingSpan[]): Comparison {
  const tally = new ComparisonTally();
  const { place, timeMs } = theirs;
  const placed = books.map((book) => ({ book, at: place.by === 'time' ? book.exchangeTsMs : Number(book.venueId) }));
  const same = placed.findLast(({ at }) => at === place.value)?.book;
  if (same !== undefined) {
    compareSide(tally, 'bid', timeMs, same.bids[0], theirs.bid);
    compareSide(tally, 'ask', timeMs, same.asks[0], theirs.ask);
    return tally.result();
  }
  const before = placed.findLast(({ at }) => at < place.value)?.book;
  const after = placed.find(({ at }) => at > place.value)?.book;
  if (before === undefined || after === undefined) return nothingCompared(BOOK_VALUES, 'not_recorded');
  if (missing.some(({ startMs, endMs }) => startMs < after.exchangeTsMs && endMs > before.exchangeTsMs))
    return nothingCompared(BOOK_VALUES, 'gap');
  compareBestPrice(tally, 'bid', timeMs, [before.bids[0], after.bids[0]], theirs.bid);
  compareBestPrice(tally, 'ask', timeMs, [before.asks[0], after.asks[0]], theirs.ask);
  return tally.result();
}

function compareBestPrice(
  tally: ComparisonTally,
  side: 'bid' | 'ask',
  atMs: number,
  [before, after]: readonly [BookLevel | undefined, BookLevel | undefined],
  theirs: BestPrice,
): void {
  tally.compareBetween(`${side}_price`, atMs, [before?.price ?? '0', after?.price ?? '0'], theirs.price);
}

/** Adds the two values of one side of one book. */
export function compareSide(
  tally: ComparisonTally,
  side: 'bid' | 'ask',
  atMs: number,
  ours: BookLevel | undefined,
  theirs: BestPrice,
): void {
  tally.compare(`${side}_price`, [atMs, atMs], ours?.price ?? '0', theirs.price);
  tally.compare(`${side}_size`, [atMs, atMs], ours?.venueSize ?? ours?.size ?? '0', theirs.size);
}
