import type { marketData } from '@market-state/contracts';
import { readBook, readContext, readFreshness, readLiquidations, readTrades, carryCandles } from '@market-state/live-market';
import type { LiveMarket, LiveMarkets } from './live-markets';
import type { MarketDataClient } from './market-data-client';
import { createResponseCache } from '../caches/response-cache';

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
