import type { marketData } from '@market-state/contracts';
import { toProtoSourceKind, toProtoTrade } from '../proto-names';
import type { ReadVenue } from '../read-venue';
import type { SymbolMarket } from '../symbol-market';

/** The newest trades, newest first. */
export function readTrades(
  market: SymbolMarket,
  venue: ReadVenue,
  { limit }: Pick<marketData.ListTradesRequest, 'limit'>,
): marketData.ListTradesResponse {
  const trades = market.tape.newest(limit);
  const [newest] = trades;
  return {
    symbol: market.symbol,
    venue: venue.venue,
    sourceKind: toProtoSourceKind(venue.sourceKind),
    trades: trades.map(toProtoTrade),
    freshnessMs: newest === undefined ? 0 : market.clock.ageMs(newest.exchangeTsMs),
    stalenessLimitMs: venue.stalenessMs('trade'),
  };
}
