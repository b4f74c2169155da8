import { feed } from '@market-state/contracts';
import { type BookLevel, DEEP_LEVELS_MAX } from '@market-state/market-data';
import type { Imports } from './import-archive';
import type { SymbolSnapshot } from './symbol-status';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import { failedPrecondition, unknownSymbol } from '@market-state/errors';
import { rangeFaults, refuseFaults } from '@market-state/request-checks';

interface FeedRpcDeps {
  readonly snapshots: ReadonlyMap<string, () => SymbolSnapshot>;
  readonly startedMs: number;
  readonly imports: Imports;
}

/** Up to 1,000 levels per side, if the venue sends them. */
async function getDeepBook({ snapshots }: FeedRpcDeps, { symbol, depth }: feed.GetDeepBookRequest): Promise<feed.GetDeepBookResponse> {
  refuseFaults(rangeFaults('depth', depth, 1, DEEP_LEVELS_MAX));
  const snapshot = snapshots.get(symbol)?.();
  if (snapshot === undefined) throw unknownSymbol(symbol, [...snapshots.keys()]);
  if (snapshot.standsBy) throw failedPrecondition('book_not_available', `Another feed writes the log of ${symbol}.`);
  const { book, syncState, feedClockMs } = snapshot.view;
  if (book === undefined) throw failedPrecondition('book_not_available', `No order book of ${symbol} received yet.`);
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

async function getFeedState({ snapshots, startedMs }: FeedRpcDeps): Promise<feed.GetFeedStateResponse> {
  return {
    startedMs,
    symbols: [...snapshots.values()].map((snapshot) => {
      const { symbol, phase, pass, epoch, lastOrdinal, view, rejectedTotal, standsBy, fillingFromMs = 0 } = snapshot();
      const { feedClockMs } = view;
      return { symbol, phase, pass, epoch, lastOrdinal, feedClockMs, rejectedTotal: { ...rejectedTotal }, standsBy, fillingFromMs };
    }),
  };
}

export function bindFeedService(deps: FeedRpcDeps): BoundService {
  return bindService(feed.FeedServiceService, {
    ...withDeps(deps, { getDeepBook, getFeedState }),
    importArchive: deps.imports.importArchive,
  });
}
