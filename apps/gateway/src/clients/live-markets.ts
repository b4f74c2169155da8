import type { marketData } from '@market-state/contracts';
import { followStream, type FollowedStream, type GrpcClient } from '@market-state/grpc';
import { FollowedMarket, type ReadVenue, type SymbolMarket } from '@market-state/live-market';
import { type Logger, withRequestContext } from '@market-state/logging';

/** Silence after which a followed market is no longer answered from, milliseconds; the data plane says something twice a second. */
const SILENCE_MS_MAX = 2_000;
/** A market that nobody has asked for in so long is let go, milliseconds. */
const UNASKED_MS_MAX = 60_000;
const LOOK_EVERY_MS = 5_000;

/** A market as it is now. */
export interface LiveMarket {
  readonly market: SymbolMarket;
  readonly venue: ReadVenue;
  /** Changes of the gap ledger so far; null while one is under way. */
  readonly ledgerMark: number | null;
}

/** The markets of the symbols that are asked for, each kept equal to the data plane's own. */
export interface LiveMarkets {
  /** The market of a symbol; null where it is not followed, not whole yet or was not heard of for too long. */
  now(symbol: string): LiveMarket | null;
  /** A symbol that is served was asked for: it is followed as long as it is. */
  asked(symbol: string): void;
  close(): Promise<void>;
}

export interface LiveMarketsDeps {
  /** What streams has a client of its own, so that none waits for the reads of others. */
  readonly pushes: GrpcClient<marketData.MarketDataServiceService>;
  readonly logger: Logger;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
  readonly monotonicMs: () => number;
}

interface Followed {
  readonly market: FollowedMarket;
  readonly stream: FollowedStream;
  heardMs: number;
  askedMs: number;
}

export function createLiveMarkets({ pushes, logger, now, monotonicMs }: LiveMarketsDeps): LiveMarkets {
  const followed = new Map<string, Followed>();
  const closing = new Set<Promise<void>>();

  function follow(symbol: string): Followed {
    const market = new FollowedMarket({
      symbol,
      wallNowMs: now,
      onUnreadable: (error) => logger.error({ symbol, err: error }, 'an entry of a followed market cannot be read'),
    });
    const stream = followStream<marketData.FollowMarketResponse>({
      open: (signal) => pushes.call.followMarket({ symbol }, { signal }),
      onDown(error) {
        market.forget();
        logger.warn({ symbol, reason: error.reason, detail: error.detail }, 'a market is not followed; its reads are asked for');
      },
      onMessage(message) {
        entry.heardMs = monotonicMs();
        market.take(message);
      },
    });
    const entry: Followed = { market, stream, heardMs: monotonicMs(), askedMs: monotonicMs() };
    return entry;
  }

  function drop(symbol: string, { stream }: Followed): void {
    followed.delete(symbol);
    const closed = stream.close();
    closing.add(closed);
    void closed.finally(() => closing.delete(closed));
  }

  const looking = setInterval(() => {
    const since = monotonicMs() - UNASKED_MS_MAX;
    for (const [symbol, entry] of followed) if (entry.askedMs < since) drop(symbol, entry);
  }, LOOK_EVERY_MS).unref();

  return {
    now(symbol) {
      const entry = followed.get(symbol);
      if (entry === undefined) return null;
      entry.askedMs = monotonicMs();
      const current = entry.askedMs - entry.heardMs > SILENCE_MS_MAX ? null : entry.market.current();
      return current === null ? null : { ...current, ledgerMark: entry.market.ledgerMark() };
    },
    asked(symbol) {
      // In nobody's name: the stream outlives the request of its first reader.
      if (!followed.has(symbol))
        followed.set(
          symbol,
          withRequestContext({ requestId: `market-${symbol}` }, () => follow(symbol)),
        );
    },
    async close() {
      clearInterval(looking);
      for (const [symbol, entry] of [...followed]) drop(symbol, entry);
      await Promise.all(closing);
    },
  };
}
