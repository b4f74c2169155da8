import type { BookEvent, BookLevel } from '../event';
import { type Comparison, ComparisonTally, nothingCompared } from './comparison';
import type { BestPrice, BestPrices } from './venue-answers';
import { bestPricesOf } from '../binance/parse-message';

/**
 * Compares rebuilt books with a recording's independent best prices (Binance `bookTicker`). The book after update `u`
 * must match the last ticker with an id up to `u`. Feed lines in order.
 */
export class RecordedBestPrices {
  private readonly tally = new ComparisonTally();
  private readonly books: readonly { readonly book: BookEvent; readonly id: number }[];
  private next = 0;
  private last: BestPrices | undefined;

  constructor(
    private readonly venueInstrument: string,
    books: readonly BookEvent[],
  ) {
    this.books = books.map((book) => ({ book, id: Number(book.venueId) })).sort((a, b) => a.id - b.id);
  }

  get isDone(): boolean {
    return this.next >= this.books.length;
  }

  accept(line: string): void {
    const ticker = bestPricesOf(line, this.venueInstrument);
    if (ticker === undefined) return;
    this.compareUpTo(ticker.place.value);
    this.last = ticker;
  }

  finish(): Comparison {
    this.compareUpTo(Infinity);
    return this.tally.result();
  }

  private compareUpTo(id: number): void {
    for (let entry = this.books[this.next]; entry !== undefined && entry.id < id; entry = this.books[++this.next]) {
      const { book } = entry;
      if (this.last === undefined) {
        this.tally.skip(BOOK_VALUES, 'no_best_prices');
        continue;
      }
      compareSide(this.tally, 'bid', book.exchangeTsMs, book.bids[0], this.last.bid);
      compareSide(this.tally, 'ask', book.exchangeTsMs, book.asks[0], this.last.ask);
    }
  }
}

export const BOOK_VALUES = 4;

/** Span with possibly missing book rows, epoch milliseconds; `endMs` is Infinity while open. */
export interface MissingSpan {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * Compares top-of-book with the venue's response. A book of the same update id or time must match exactly; otherwise
 * each price must lie between the adjacent books. Skips values without both books, or across a gap.
 * @param books around the response, in log order
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

function compareSide(tally: ComparisonTally, side: 'bid' | 'ask', atMs: number, ours: BookLevel | undefined, theirs: BestPrice): void {
  tally.compare(`${side}_price`, [atMs, atMs], ours?.price ?? '0', theirs.price);
  tally.compare(`${side}_size`, [atMs, atMs], ours?.venueSize ?? ours?.size ?? '0', theirs.size);
}
