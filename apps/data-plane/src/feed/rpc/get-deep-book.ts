import type { feed } from '@market-state/contracts';
import { failedPrecondition, invalidArgument, unknownSymbol } from '@market-state/errors';
import { type BookLevel, DEEP_LEVELS_MAX } from '@market-state/market-data';
import type { SymbolSnapshot } from '../symbol-status';

/** The snapshot of a symbol played, by symbol. */
export type Snapshots = ReadonlyMap<string, () => SymbolSnapshot>;

/** The last book of a symbol's log, to 1,000 levels a side, or as many as the venue sends. */
export async function getDeepBook(snapshots: Snapshots, { symbol, depth }: feed.GetDeepBookRequest): Promise<feed.GetDeepBookResponse> {
  if (depth < 1 || depth > DEEP_LEVELS_MAX) {
    throw invalidArgument([{ field: 'depth', message: `must be within 1..${DEEP_LEVELS_MAX}`, type: 'out_of_range' }]);
  }
  const snapshot = snapshots.get(symbol)?.();
  if (snapshot === undefined) throw unknownSymbol(symbol, [...snapshots.keys()]);
  const { book, syncState, feedClockMs } = snapshot.view;
  if (book === undefined) throw failedPrecondition('book_not_available', `No book of ${symbol} was seen yet.`);
  const { event, deepBook } = book;
  const { bids, asks } = deepBook?.levels(depth) ?? { bids: event.bids.slice(0, depth), asks: event.asks.slice(0, depth) };
  return {
    bids: bids.map(toProtoLevel),
    asks: asks.map(toProtoLevel),
    pass: event.pass,
    venueId: event.venueId,
    exchangeTsMs: event.exchangeTsMs,
    receivedTsMs: event.receivedTsMs,
    feedClockMs,
    syncState,
  };
}

function toProtoLevel({ price, size, venueSize = '' }: BookLevel) {
  return { price, size, venueSize };
}
