import { bestPricesOf } from '../binance/book-ticker';
import type { BookEvent } from '../event';
import { BOOK_VALUES, compareSide } from './compare-book';
import { type Comparison, ComparisonTally } from './comparison';
import type { BestPrices } from './venue-answers';

/**
 * Holds books that were made of a recording against the best prices that the recording has of its own and that no book is made of
 * (Binance's `bookTicker`): after the change with last id `u`, they are those of the last ticker whose own `u` is not above it. Lines are
 * given in the order of the recording, to its end.
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

  /** Whether every book was compared: no later line says more of them. */
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

  /** Compares the books that come before the ticker with that id. */
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
