import type { Schemas } from '@market-state/client';
import { bookOf, type FlowBook, type TapeTrade, tradeOf } from '../../market/flow-state';
import { LADDER_ROWS } from '../../market/ladder';

/** What was replayed of a chunk, each in the order of exchange time. */
export interface ChunkRows {
  readonly books: readonly FlowBook[];
  readonly trades: readonly TapeTrade[];
  /** Digests of the packets that came. */
  readonly digests: readonly string[];
}

export const NO_ROWS: ChunkRows = { books: [], trades: [], digests: [] };

/** Collects the rows of a replay; goes on from what was collected before. */
export function collectRows(before: ChunkRows): { add(row: Schemas['DataRow']): void; rows(): ChunkRows } {
  const books = [...before.books];
  const trades = [...before.trades];
  const digests = [...before.digests];
  return {
    add(row) {
      if ('packet_digest' in row) digests.push(row.packet_digest);
      const book = bookOf(row);
      // What no ladder shows is not kept: an hour of books has to fit into a page.
      if (book !== null) books.push({ ...book, bids: book.bids.slice(0, LADDER_ROWS), asks: book.asks.slice(0, LADDER_ROWS) });
      const trade = tradeOf(row);
      if (trade !== null) trades.push(trade);
    },
    rows: () => ({ books: byTime(books), trades: byTime(trades), digests: [...digests] }),
  };
}

/** The log is in the order of receipt; venues' clocks may step back within it. */
function byTime<Row extends { readonly timeMs: number }>(rows: readonly Row[]): readonly Row[] {
  return [...rows].sort((a, b) => a.timeMs - b.timeMs);
}
