import type { marketData } from '@market-state/contracts';
import { followStream, type FollowedStream, type GrpcClient } from '@market-state/grpc';
import { FollowedMarket, type ReadVenue, type SymbolMarket } from '@market-state/live-market';
import { type Logger, withRequestContext } from '@market-state/logging';

/** The data plane sends twice a second. */
const SILENCE_MS_MAX = 2_000;
const UNREQUESTED_MS_MAX = 60_000;
const LOOK_EVERY_MS = 5_000;

export interface LiveMarket {
  readonly market: SymbolMarket;
  readonly venue: ReadVenue;
  /** Gap ledger changes so far; null while one is in progress. */
  readonly ledgerRevision: number | null;
}

/** Replicas of the data plane's markets that clients read. */
export interface LiveMarkets {
  /** Returns null if the market is not followed, incomplete or silent. */
  now(symbol: string): LiveMarket | null;
  /** Subscribes to a served symbol, or extends its subscription. */
  subscribe(symbol: string): void;
  close(): Promise<void>;
}

export interface LiveMarketsDeps {
  /** A separate client, so that streams do not queue behind reads. */
  readonly pushes: GrpcClient<marketData.MarketDataServiceService>;
  readonly logger: Logger;
  readonly now: () => number;
  readonly monotonicMs: () => number;
}

interface Followed {
  readonly market: FollowedMarket;
  readonly stream: FollowedStream;
  heardMs: number;
  requestedAtMs: number;
}

export function createLiveMarkets({ pushes, logger, now, monotonicMs }: LiveMarketsDeps): LiveMarkets {
  const followed = new Map<string, Followed>();
  const closing = new Set<Promise<void>>();

  function follow(symbol: string): Followed {
    const market = new FollowedMarket({
      symbol,
      wallNowMs: now,
      onUnreadable: (error) => logger.error({ symbol, err: error }, 'cannot read an entry of a followed market'),
    });
    const stream = followStream<marketData.FollowMarketResponse>({
      open: (signal) => pushes.call.followMarket({ symbol }, { signal }),
      onDown(error) {
        market.forget();
        logger.warn({ symbol, reason: error.reason, detail: error.detail }, 'market subscription lost; falling back to RPC reads');
      },
      onMessage(message) {
        entry.heardMs = monotonicMs();
        market.take(message);
      },
    });
    const entry: Followed = { market, stream, heardMs: monotonicMs(), requestedAtMs: monotonicMs() };
    return entry;
  }

  function drop(symbol: string, { stream }: Followed): void {
    followed.delete(symbol);
    const closed = stream.close();
    closing.add(closed);
    void closed.finally(() => closing.delete(closed));
  }

  const looking = setInterval(() => {
    const since = monotonicMs() - UNREQUESTED_MS_MAX;
    for (const [symbol, entry] of followed) if (entry.requestedAtMs < since) drop(symbol, entry);
  }, LOOK_EVERY_MS).unref();

  return {
    now(symbol) {
      const entry = followed.get(symbol);
      if (entry === undefined) return null;
      entry.requestedAtMs = monotonicMs();
      const current = entry.requestedAtMs - entry.heardMs > SILENCE_MS_MAX ? null : entry.market.current();
      return current === null ? null : { ...current, ledgerRevision: entry.market.ledgerRevision() };
    },
    subscribe(symbol) {
      // The stream outlives the first reader's request, so it has its own id.
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
