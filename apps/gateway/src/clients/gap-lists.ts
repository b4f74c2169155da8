import type { marketData } from '@market-state/contracts';
import type { SymbolMarket } from '@market-state/live-market';
import type { LiveMarkets } from './live-markets';
import type { MarketDataClient } from './market-data-client';

/** Lists kept, of all symbols together. */
const KEPT_MAX = 256;
/** Longer lists are asked for each time. */
const GAPS_MAX = 200;

interface Kept {
  readonly market: SymbolMarket;
  readonly mark: number;
  readonly list: marketData.ListGapsResponse;
}

/** Pages of the gap ledger as of now, kept until the ledger of their symbol changes. */
export interface GapLists {
  /** The page, where it is kept and the ledger has not changed since it was read. */
  known(request: marketData.ListGapsRequest): marketData.ListGapsResponse | null;
  list(request: marketData.ListGapsRequest): Promise<marketData.ListGapsResponse>;
}

export function createGapLists(client: MarketDataClient, markets: Pick<LiveMarkets, 'now'>): GapLists {
  const kept = new Map<string, Kept>();

  function known(request: marketData.ListGapsRequest): marketData.ListGapsResponse | null {
    const before = kept.get(JSON.stringify(request));
    const live = before === undefined ? null : markets.now(request.symbol);
    return before !== undefined && live?.market === before.market && live.ledgerMark === before.mark ? before.list : null;
  }

  return {
    known,
    async list(request) {
      const found = known(request);
      if (found !== null) return found;
      const before = markets.now(request.symbol);
      const list = await client.call.listGaps(request);
      const isSettled = before !== null && before.ledgerMark !== null && markets.now(request.symbol)?.ledgerMark === before.ledgerMark;
      if (!isSettled || request.asOfMs !== 0 || list.gaps.length > GAPS_MAX) return list;
      if (kept.size >= KEPT_MAX) kept.clear();
      kept.set(JSON.stringify(request), { market: before.market, mark: before.ledgerMark, list });
      return list;
    },
  };
}
