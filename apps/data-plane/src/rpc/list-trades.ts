import type { marketData } from '@market-state/contracts';
import { readTrades, TAPE_LENGTH } from '@market-state/live-market';
import { rangeFaults, refuseFaults, symbolFaults } from '@market-state/request-checks';
import type { RpcDeps } from './deps';

/** The newest trades from memory. */
export async function listTrades({ tail, venues }: RpcDeps, request: marketData.ListTradesRequest): Promise<marketData.ListTradesResponse> {
  const { symbol, limit } = request;
  refuseFaults(symbolFaults(symbol), rangeFaults('limit', limit, 1, TAPE_LENGTH));
  return readTrades(tail.marketOf(symbol), venues.of(symbol), request);
}
