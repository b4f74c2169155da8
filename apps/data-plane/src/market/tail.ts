import { unavailable, unknownSymbol } from '@market-state/errors';
import type { EventLog, LogEntry } from '@market-state/event-log';
import { type Closable, waitFor } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { decodeEvent } from '@market-state/market-data';
import { rebuild, type RebuildDeps } from './rebuild';
import { SymbolMarket } from './symbol-market';

export interface TailDeps {
  readonly log: EventLog;
  readonly logger: Logger;
  readonly readRecent: RebuildDeps['readRecent'];
  readonly wallNowMs: () => number;
}

/** The latest of every symbol served, kept up with the log. */
export interface MarketTail extends Closable {
  readonly symbols: readonly string[];
  /** @throws {ServiceError} NOT_FOUND for a symbol not served, UNAVAILABLE until its state is rebuilt */
  marketOf(symbol: string): SymbolMarket;
  /** The symbol's market, rebuilt or not. */
  peek(symbol: string): SymbolMarket | undefined;
  isReady(): boolean;
  /** Resolves when every symbol is rebuilt. */
  readonly whenReady: Promise<void>;
}

/** Rebuilds each symbol from its log, trying until the stores are there, then follows it until closed. */
export function startTail(deps: TailDeps, symbols: readonly string[]): MarketTail {
  const stop = new AbortController();
  const ready = new Map<string, SymbolMarket>();

  async function rebuilt(symbol: string) {
    const market = new SymbolMarket(symbol, deps.wallNowMs);
    const position = await rebuild(deps, market);
    return { market, position };
  }

  async function keepUp(symbol: string, onReady: () => void): Promise<void> {
    const { signal } = stop;
    try {
      const { market, position } = await waitFor(`log of ${symbol}`, () => rebuilt(symbol), { signal, logger: deps.logger });
      ready.set(symbol, market);
      onReady();
      for await (const batch of deps.log.follow(symbol, position, signal))
        for (const entry of batch) applyEntry(deps.logger, market, entry);
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
      throw unavailable('starting', 'The service is still reading its event log; try again in a moment.');
    },
    peek: (symbol) => ready.get(symbol),
    isReady: () => ready.size === symbols.length,
    whenReady: whenReady.then(() => undefined),
    async close() {
      stop.abort(new Error('the tail was closed'));
      await Promise.all(following);
    },
  };
}

/** An entry that cannot be read is left out: what is served then is a little older, never wrong. */
function applyEntry(logger: Logger, market: SymbolMarket, entry: LogEntry): void {
  try {
    market.apply(decodeEvent(entry.payload));
  } catch (error) {
    logger.error(
      { symbol: market.symbol, epoch: entry.epoch, ordinal: entry.ordinal, err: error },
      'an entry of the event log cannot be read',
    );
  }
}
