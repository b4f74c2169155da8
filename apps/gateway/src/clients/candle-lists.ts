import type { marketData } from '@market-state/contracts';
import { carryCandles, type SymbolMarket } from '@market-state/live-market';
import type { LiveMarkets } from './live-markets';
import type { MarketDataClient } from './market-data-client';

/** Lists kept, of all symbols together. */
const KEPT_MAX = 128;

interface Kept {
  readonly market: SymbolMarket;
  readonly mark: number;
  readonly list: marketData.ListCandlesResponse;
}

/** Candles up to now: those that were read, carried on by the trades since. */
export interface CandleLists {
  /** The candles, where nothing must be asked for them. */
  known(request: marketData.ListCandlesRequest): marketData.ListCandlesResponse | null;
  list(request: marketData.ListCandlesRequest): Promise<marketData.ListCandlesResponse>;
}

export function createCandleLists(client: MarketDataClient, markets: Pick<LiveMarkets, 'now' | 'asked'>): CandleLists {
  const kept = new Map<string, Kept>();

  function known(request: marketData.ListCandlesRequest): marketData.ListCandlesResponse | null {
    const before = kept.get(JSON.stringify(request));
    const live = before === undefined ? null : markets.now(request.symbol);
    if (before === undefined || live?.market !== before.market || live.ledgerMark !== before.mark) return null;
    return carryCandles(live.market, live.venue, request, before.list);
  }

  return {
    known,
    async list(request) {
      const found = known(request);
      if (found !== null) return found;
      const before = markets.now(request.symbol);
      const list = await client.call.listCandles(request);
      markets.asked(request.symbol);
      const isSettled = before !== null && before.ledgerMark !== null && markets.now(request.symbol)?.ledgerMark === before.ledgerMark;
      if (!isSettled || list.standing === undefined) return list;
      if (kept.size >= KEPT_MAX) kept.clear();
      kept.set(JSON.stringify(request), { market: before.market, mark: before.ledgerMark, list });
      return list;
    },
  };
}
