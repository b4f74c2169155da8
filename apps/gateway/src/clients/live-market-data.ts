import type { marketData } from '@market-state/contracts';
import { type FollowedStream, followStream, type GrpcClient } from '@market-state/grpc';
import {
  carryCandles,
  FollowedMarket,
  readBook,
  readContext,
  readFreshness,
  readLiquidations,
  readTrades,
  type ReadVenue,
  type SymbolMarket,
} from '@market-state/live-market';
import { type Logger, withRequestContext } from '@market-state/logging';
import { createResponseCache } from '../caches/response-cache';
import type { MarketDataClient } from './market-data-client';

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

interface LiveMarketsDeps {
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

/** Longer pages of the gap ledger are not cached. */
const GAPS_MAX = 200;
/** Across all symbols. */
const GAP_LISTS_MAX = 256;
const CANDLE_LISTS_MAX = 64;

/** Lists cached until their symbol's gap ledger changes. */
interface LedgerLists<Request, List> {
  /** Returns null if the data plane must be called. */
  known(request: Request): List | null;
  list(request: Request): Promise<List>;
}

interface ListsSettings<Request, List> {
  readonly markets: Pick<LiveMarkets, 'now' | 'subscribe'>;
  readonly ask: (request: Request) => Promise<List>;
  readonly listsMax: number;
  readonly isCacheable: (request: Request, list: List) => boolean;
  /** Returns null if the list must be requested again. */
  readonly current: (live: LiveMarket, request: Request, list: List) => List | null;
}

function createLedgerLists<Request extends { readonly symbol: string }, List extends object>({
  markets,
  ask,
  listsMax,
  isCacheable,
  current,
}: ListsSettings<Request, List>): LedgerLists<Request, List> {
  const lists = createResponseCache<string, List>({ sizeMax: listsMax });

  function known(request: Request): List | null {
    const live = markets.now(request.symbol);
    if (live === null || live.ledgerRevision === null) return null;
    const list = lists.get(JSON.stringify(request), [live.market, live.ledgerRevision]);
    return list === undefined ? null : current(live, request, list);
  }

  return {
    known,
    async list(request) {
      const found = known(request);
      if (found !== null) return found;
      const before = markets.now(request.symbol);
      const list = await ask(request);
      // The data plane answered, so the symbol is served.
      markets.subscribe(request.symbol);
      const isSettled =
        before !== null && before.ledgerRevision !== null && markets.now(request.symbol)?.ledgerRevision === before.ledgerRevision;
      if (isSettled && isCacheable(request, list)) lists.set(JSON.stringify(request), list, [before.market, before.ledgerRevision]);
      return list;
    },
  };
}

export type GapLists = LedgerLists<marketData.ListGapsRequest, marketData.ListGapsResponse>;

export function createGapLists({ call }: MarketDataClient, markets: Pick<LiveMarkets, 'now' | 'subscribe'>): GapLists {
  return createLedgerLists<marketData.ListGapsRequest, marketData.ListGapsResponse>({
    markets,
    ask: (request) => call.listGaps(request),
    listsMax: GAP_LISTS_MAX,
    isCacheable: ({ asOfMs }, { gaps }) => asOfMs === 0 && gaps.length <= GAPS_MAX,
    current: (_live, _request, list) => list,
  });
}

export type CandleLists = LedgerLists<marketData.ListCandlesRequest, marketData.ListCandlesResponse>;

/** The last list read, extended by the trades since. */
export function createCandleLists({ call }: MarketDataClient, markets: Pick<LiveMarkets, 'now' | 'subscribe'>): CandleLists {
  return createLedgerLists<marketData.ListCandlesRequest, marketData.ListCandlesResponse>({
    markets,
    ask: (request) => call.listCandles(request),
    listsMax: CANDLE_LISTS_MAX,
    isCacheable: (_request, { standing }) => standing !== undefined,
    current: ({ market, venue }, request, list) => carryCandles(market, venue, request, list),
  });
}

type Ask<Request, Response> = (request: Request) => Promise<Response>;

/** Answers current reads from followed markets, and calls the data plane for others. */
export function liveMarketData(
  client: MarketDataClient,
  { markets, gapLists, candleLists }: { markets: LiveMarkets; gapLists: Pick<GapLists, 'list'>; candleLists: Pick<CandleLists, 'list'> },
): MarketDataClient {
  function answered<Request extends { readonly symbol: string }, Response>(
    read: (live: LiveMarket, request: Request) => Response | null,
    ask: Ask<Request, Response>,
  ): Ask<Request, Response> {
    return async (request) => {
      const live = markets.now(request.symbol);
      const known = live === null ? null : read(live, request);
      if (known !== null) return known;
      const answer = await ask(request);
      // The data plane answered, so the symbol is served.
      markets.subscribe(request.symbol);
      return answer;
    };
  }
  const { call } = client;
  return {
    ...client,
    call: {
      ...call,
      getBook: answered(({ market, venue }, request: marketData.GetBookRequest) => readBook(market, venue, request), call.getBook),
      listTrades: answered(
        ({ market, venue }, request: marketData.ListTradesRequest) => readTrades(market, venue, request),
        call.listTrades,
      ),
      getActiveAsset: answered(({ market, venue }, _: marketData.GetActiveAssetRequest) => readContext(market, venue), call.getActiveAsset),
      getLiquidations: answered(
        ({ market, venue }, request: marketData.GetLiquidationsRequest) => readLiquidations(market, venue, request),
        call.getLiquidations,
      ),
      listGaps: (request) => gapLists.list(request),
      listCandles: (request) => candleLists.list(request),
      getFreshness: answered(({ market, venue }, _: marketData.GetFreshnessRequest) => readFreshness(market, venue), call.getFreshness),
    },
  };
}
