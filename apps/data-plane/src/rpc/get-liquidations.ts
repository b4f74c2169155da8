import type { marketData } from '@market-state/contracts';
import { readLiquidations } from '@market-state/live-market';
import { rangeFaults, refuseFaults, symbolFaults } from '@market-state/request-checks';
import type { RpcDeps } from './deps';

/** Liquidations of the last seconds of feed time, from memory. */
export async function getLiquidations(
  { tail, venues }: RpcDeps,
  request: marketData.GetLiquidationsRequest,
): Promise<marketData.GetLiquidationsResponse> {
  const { symbol, windowSeconds } = request;
  refuseFaults(symbolFaults(symbol), rangeFaults('window_seconds', windowSeconds, 30, 3_600));
  return readLiquidations(tail.marketOf(symbol), venues.of(symbol), request);
}
