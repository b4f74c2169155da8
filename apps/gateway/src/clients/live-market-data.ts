import type { marketData } from '@market-state/contracts';
import {
  readBook,
  readContext,
  readFreshness,
  readLiquidations,
  readTrades,
  carryCandles,
  type SymbolMarket,
} from '@market-state/live-market';
import type { LiveMarket, LiveMarkets } from './live-markets';
import type { MarketDataClient } from './market-data-client';

/** Longer pages of the gap ledger are asked for each time. */
const GAPS_MAX = 200;
/** Lists kept, of all symbols together. */
const GAP_LISTS_MAX = 256;
const CANDLE_LISTS_MAX = 64;

/** Lists that depend on the gap ledger of their symbol, kept until it changes. */
interface LedgerLists<Request, List> {
  /** The list as it is now, where nothing must be asked for it. */
  known(request: Request): List | null;
  list(request: Request): Promise<List>;
}

interface ListsSettings<Request, List> {
  readonly markets: Pick<LiveMarkets, 'now' | 'asked'>;
  readonly ask: (request: Request) => Promise<List>;
  readonly keptMax: number;
  /** Whether the answer to a request may serve again. */
  readonly isKept: (request: Request, list: List) => boolean;
  /** What a kept list is by now; null where it must be asked for anew. */
  readonly current: (live: LiveMarket, request: Request, list: List) => List | null;
}

interface Kept<List> {
  readonly market: SymbolMarket;
  readonly mark: number;
  readonly list: List;
}

function createLedgerLists<Request extends { readonly symbol: string }, List>({
  markets,
  ask,
  keptMax,
  isKept,
  current,
}: ListsSettings<Request, List>): LedgerLists<Request, List> {
  const kept = new Map<string, Kept<List>>();

  function known(request: Request): List | null {
    const before = kept.get(JSON.stringify(request));
    const live = before === undefined ? null : markets.now(request.symbol);
    if (before === undefined || live === null || live.market !== before.market || live.ledgerMark !== before.mark) return null;
    return current(live, request, before.list);
  }

  return {
    known,
    async list(request) {
      const found = known(request);
      if (found !== null) return found;
      const before = markets.now(request.symbol);
      const list = await ask(request);
      // It is served, since it was answered for.
      markets.asked(request.symbol);
      const isSettled = before !== null && before.ledgerMark !== null && markets.now(request.symbol)?.ledgerMark === before.ledgerMark;
      if (!isSettled || !isKept(request, list)) return list;
      if (kept.size >= keptMax) kept.clear();
      kept.set(JSON.stringify(request), { market: before.market, mark: before.ledgerMark, list });
      return list;
    },
  };
}

export type GapLists = LedgerLists<marketData.ListGapsRequest, marketData.ListGapsResponse>;

/** Pages of the gap ledger as of now. */
export function createGapLists({ call }: MarketDataClient, markets: Pick<LiveMarkets, 'now' | 'asked'>): GapLists {
  return createLedgerLists<marketData.ListGapsRequest, marketData.ListGapsResponse>({
    markets,
    ask: (request) => call.listGaps(request),
    keptMax: GAP_LISTS_MAX,
    isKept: ({ asOfMs }, { gaps }) => asOfMs === 0 && gaps.length <= GAPS_MAX,
    current: (_live, _request, list) => list,
  });
}

export type CandleLists = LedgerLists<marketData.ListCandlesRequest, marketData.ListCandlesResponse>;

/** Candles up to now: those that were read, carried on by the trades since. */
export function createCandleLists({ call }: MarketDataClient, markets: Pick<LiveMarkets, 'now' | 'asked'>): CandleLists {
  return createLedgerLists<marketData.ListCandlesRequest, marketData.ListCandlesResponse>({
    markets,
    ask: (request) => call.listCandles(request),
    keptMax: CANDLE_LISTS_MAX,
    isKept: (_request, { standing }) => standing !== undefined,
    current: ({ market, venue }, request, list) => carryCandles(market, venue, request, list),
  });
}

type Ask<Request, Response> = (request: Request) => Promise<Response>;

/**
 * The client whose reads of now are answered from the markets that are followed, with what the data plane would answer, and asked for where
 * one is not.
 */
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
      // It is served, since it was answered for.
      markets.asked(request.symbol);
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
