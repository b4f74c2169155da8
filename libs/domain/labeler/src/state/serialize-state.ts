import { bytesOf, encodeEvent, type BookLevel, type MarketEvent, toBase64 } from '@market-state/market-data';
import type { LabelerState } from '../reducer/labeler-state';
import type { CurrentBook } from '../windows/book-window';
import { STATE_FORMAT, type StateImage, packTable, packTraces } from './state-image';

/**
 * Serializes the state as UTF-8 JSON with fixed member order: equal states yield equal bytes, and a restored state
 * continues identically.
 */
export function serializeState(state: LabelerState): Uint8Array {
  return bytesOf(JSON.stringify(imageOf(state)));
}

function imageOf({ symbol, policy, log, windows, memory, chain }: LabelerState): StateImage {
  const { books, trades, context, liquidations, cuts } = windows;
  return {
    format: STATE_FORMAT,
    symbol,
    policyDigest: policy.digest,
    log: {
      ordinal: log.ordinal,
      epoch: log.epoch,
      closingLagMs: log.closingLagMs,
      lastTickMs: log.lastTickMs,
      nextWindowEndMs: log.nextWindowEndMs,
      firstWindowStartMs: log.firstWindowStartMs,
      pending: log.pending.map(encoded),
      statuses: log.statuses.map(encoded),
      seen: log.seen.dump().flat(),
      lateSeen: log.lateSeen.dump().flat(),
      lateSinceClose: log.lateSinceClose,
      lateTotal: log.lateTotal,
      facts: log.facts,
      gaps: log.gaps.dump(),
      openCuts: log.openCuts,
      closed: [...log.closed],
    },
    windows: {
      books: {
        records: packTable(books.records, ['tsMs', 'bid', 'ask', 'bidSize', 'askSize', 'imbalance', 'depth']),
        current: books.current && currentImage(books.current),
        stampsMs: [...books.stampsMs],
      },
      trades: {
        records: packTable(trades.records, ['tsMs', 'price', 'size', 'buy', 'notional']),
        agedSizes: [...trades.agedSizes],
        agedTotal: trades.agedTotal,
        lastTsMs: trades.lastTsMs,
      },
      context: {
        openInterest: packTable(context.openInterest, ['tsMs', 'value']),
        lastTsMs: context.lastTsMs,
        fundingRate: context.fundingRate,
        markPrice: context.markPrice,
      },
      liquidations: { records: packTable(liquidations.records, ['tsMs', 'long', 'notional', 'proxy']), lastTsMs: liquidations.lastTsMs },
      cuts: cuts.dump(),
    },
    memory: {
      packetsMade: memory.packetsMade,
      history: packTraces(memory.history),
      session: packTable(memory.session, ['pressure', 'flow', 'fragility', 'depth', 'spreadBps']),
      returns: [...memory.returns],
      calibration: memory.calibration,
      held: memory.held,
      dwell: memory.dwell,
      sessionState: memory.sessionState,
      ranges: memory.ranges,
      nearDepth: memory.nearDepth,
      previous: memory.previous,
      noveltyTags: [...memory.noveltyTags],
      sessionLane: memory.sessionLane,
      historyLane: memory.historyLane,
      historyBlocks: [...memory.historyBlocks],
    },
    chain,
  };
}

function currentImage(book: CurrentBook): CurrentBook {
  return { ...book, bids: book.bids.map(levelImage), asks: book.asks.map(levelImage) };
}

function levelImage({ price, size }: BookLevel): BookLevel {
  return { price, size };
}

function encoded(event: MarketEvent): string {
  return toBase64(encodeEvent(event));
}
