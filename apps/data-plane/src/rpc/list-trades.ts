import type { marketData } from '@market-state/contracts';
import { rangeFaults, refuseFaults, symbolFaults } from '@market-state/request-checks';
import { TAPE_LENGTH } from '../market/trade-tape';
import type { RpcDeps } from './deps';
import { toProtoSourceKind, toProtoTrade } from './to-proto';

/** The newest trades from memory. */
export async function listTrades({ tail, venues }: RpcDeps, request: marketData.ListTradesRequest): Promise<marketData.ListTradesResponse> {
  const { symbol, limit } = request;
  refuseFaults(symbolFaults(symbol), rangeFaults('limit', limit, 1, TAPE_LENGTH));
  const market = tail.marketOf(symbol);
  const venue = venues.of(symbol);
  const trades = market.tape.newest(limit);
  const [newest] = trades;
  return {
    symbol,
    venue: venue.venue,
    sourceKind: toProtoSourceKind(venue.sourceKind),
    trades: trades.map(toProtoTrade),
    freshnessMs: newest === undefined ? 0 : market.clock.ageMs(newest.exchangeTsMs),
    stalenessLimitMs: venue.stalenessMs('trade'),
  };
}
