import type { marketData } from '@market-state/contracts';
import { readBook, readContext, readFreshness, readLiquidations, readTrades } from '@market-state/live-market';
import type { CandleLists, GapLists } from './ledger-lists';
import type { LiveMarket, LiveMarkets } from './live-markets';
import type { MarketDataClient } from './market-data-client';

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
