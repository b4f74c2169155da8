import { unavailable, unknownSymbol } from '@market-state/errors';
import { type EventLog, type LogEntry, type EntryId, LOG_START } from '@market-state/event-log';
import { type Closable, waitFor } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { type GapSpan, SymbolMarket, TAPE_LENGTH } from '@market-state/live-market';
import { decodeEvent, type MarketEvent } from '@market-state/market-data';
import type { RecentMarket } from '../store/recent-market';
import { spanOfGap } from '../recorder/gap-ledger';
import { DAY_GAPS_MAX } from '../store/gaps';

const PAGE = 2_000;

interface RebuildDeps {
  readonly log: Pick<EventLog, 'readLast' | 'readBefore'>;
  readonly logger: Logger;
  readonly readRecent: (symbol: string) => Promise<RecentMarket>;
}

/** Selects entries while reading backwards: only the newest trades, books and ticks are needed. */
class Wanted {
  private trades = 0;
  private hasBook = false;
  private hasTick = false;

  take(event: MarketEvent): boolean {
    switch (event.kind) {
      case 'trade':
        return (this.trades += 1) <= TAPE_LENGTH;
      case 'book':
        return !this.hasBook && (this.hasBook = true);
      case 'tick':
        return !this.hasTick && (this.hasTick = true);
      case 'context':
      case 'liquidation':
      case 'feed_status':
        return true;
    }
  }

  get isEnough(): boolean {
    return this.trades >= TAPE_LENGTH && this.hasBook;
  }
}

/**
 * Reads records and the log's end backwards until the tape is full and a book is found. Returns the offset to follow
 * from.
 */
async function rebuild(deps: RebuildDeps, market: SymbolMarket): Promise<EntryId> {
  const recent = await deps.readRecent(market.symbol);
  const wanted = new Wanted();
  const newestFirst: MarketEvent[] = [];
  let page = await deps.log.readLast(market.symbol, PAGE);
  const end = page.at(-1);
  while (page.length > 0) {
    for (const entry of [...page].reverse()) {
      const { event } = readEntry(deps.logger, market.symbol, entry);
      if (event !== undefined && wanted.take(event)) newestFirst.push(event);
    }
    const [first] = page;
    if (first === undefined || (wanted.isEnough && first.ordinal <= recent.recordedOrdinal + 1)) break;
    page = await deps.log.readBefore(market.symbol, first, PAGE);
  }
  const firstInLog = newestFirst.at(-1)?.ordinal ?? Infinity;
  for (const event of recent.events) if (event.ordinal < firstInLog || event.kind === 'liquidation') market.apply(event);
  const inLog = newestFirst.reverse();
  const firstUnrecorded = inLog.findIndex(({ ordinal }) => ordinal > recent.recordedOrdinal);
  const recordedTotal = firstUnrecorded === -1 ? inLog.length : firstUnrecorded;
  for (const event of inLog.slice(0, recordedTotal)) market.apply(event);
  // After recorded entries: the ledger also ends gaps whose end no entry reports.
  if (recent.gaps.length === DAY_GAPS_MAX) market.gaps.setPartial();
  for (const gap of recent.gaps) market.takeGap(spanOfGap(gap));
  for (const event of inLog.slice(recordedTotal)) market.apply(event);
  return end === undefined ? LOG_START : { epoch: end.epoch, ordinal: end.ordinal };
}

interface TailDeps {
  readonly log: EventLog;
  readonly logger: Logger;
  readonly readRecent: RebuildDeps['readRecent'];
  readonly wallNowMs: () => number;
}

/** `event` is undefined if undecodable. */
export interface TailEntry extends LogEntry {
  readonly event: MarketEvent | undefined;
}

export interface TailListener {
  onEntries(entries: readonly TailEntry[]): void;
  onGaps(): void;
}

export interface MarketTail extends Closable {
  readonly symbols: readonly string[];
  /** @throws {ServiceError} NOT_FOUND for an unknown symbol, UNAVAILABLE until rebuilt */
  marketOf(symbol: string): SymbolMarket;
  /** Market even if not rebuilt yet. */
  peek(symbol: string): SymbolMarket | undefined;
  listen(symbol: string, listener: TailListener): () => void;
  takeGaps(symbol: string, gaps: readonly GapSpan[]): void;
  isReady(): boolean;
  readonly whenReady: Promise<void>;
}

export function startTail(deps: TailDeps, symbols: readonly string[]): MarketTail {
  const stop = new AbortController();
  const ready = new Map<string, SymbolMarket>();
  const listeners = new Map<string, Set<TailListener>>(symbols.map((symbol) => [symbol, new Set()]));
  const listenersOf = (symbol: string): ReadonlySet<TailListener> => listeners.get(symbol) ?? new Set();

  async function rebuilt(symbol: string) {
    const market = new SymbolMarket(symbol, deps.wallNowMs);
    const position = await rebuild(deps, market);
    return { market, position };
  }

  function takeEntries(market: SymbolMarket, entries: readonly TailEntry[]): void {
    for (const { event } of entries) if (event !== undefined) market.apply(event);
    for (const listener of listenersOf(market.symbol)) listener.onEntries(entries);
  }

  async function keepUp(symbol: string, onReady: () => void): Promise<void> {
    const { signal } = stop;
    try {
      const { market, position } = await waitFor(`log of ${symbol}`, () => rebuilt(symbol), { signal, logger: deps.logger });
      ready.set(symbol, market);
      onReady();
      for await (const batch of deps.log.follow(symbol, position, signal))
        takeEntries(
          market,
          batch.map((entry) => readEntry(deps.logger, symbol, entry)),
        );
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  const following: Promise<void>[] = [];
  const whenReady = Promise.all(symbols.map((symbol) => new Promise<void>((resolve) => following.push(keepUp(symbol, resolve)))));
  return {
    symbols,
    marketOf(symbol) {
      const market = ready.get(symbol);
      if (market !== undefined) return market;
      if (!symbols.includes(symbol)) throw unknownSymbol(symbol, symbols);
      throw unavailable('starting', 'The service is still reading its event log. Retry in a moment.');
    },
    peek: (symbol) => ready.get(symbol),
    listen(symbol, listener) {
      listeners.get(symbol)?.add(listener);
      return () => listeners.get(symbol)?.delete(listener);
    },
    takeGaps(symbol, gaps) {
      const market = ready.get(symbol);
      for (const gap of gaps) market?.takeGap(gap);
      for (const listener of listenersOf(symbol)) listener.onGaps();
    },
    isReady: () => ready.size === symbols.length,
    whenReady: whenReady.then(() => undefined),
    async close() {
      stop.abort(new Error('the tail was closed'));
      await Promise.all(following);
    },
  };
}

/** Undecodable entries are skipped: served data is then slightly older, never wrong. */
function readEntry(logger: Logger, symbol: string, entry: LogEntry): TailEntry {
  try {
    return { ...entry, event: decodeEvent(entry.payload) };
  } catch (error) {
    logger.error({ symbol, epoch: entry.epoch, ordinal: entry.ordinal, err: error }, 'an entry of the event log cannot be read');
    return { ...entry, event: undefined };
  }
}
