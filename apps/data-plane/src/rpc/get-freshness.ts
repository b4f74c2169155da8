import type { marketData } from '@market-state/contracts';
import { dayUpToNow, freshnessWith, readFreshness } from '@market-state/live-market';
import { refuseFaults, symbolFaults } from '@market-state/request-checks';
import { countGaps } from '../store/gaps';
import type { RpcDeps } from './deps';

/** Ages by the feed's clock, and the gaps of the last 24 h; the ledger is read only where memory does not hold all of them. */
export async function getFreshness(deps: RpcDeps, { symbol }: marketData.GetFreshnessRequest): Promise<marketData.GetFreshnessResponse> {
  refuseFaults(symbolFaults(symbol));
  const market = deps.tail.marketOf(symbol);
  const venue = deps.venues.of(symbol);
  const fromMemory = readFreshness(market, venue);
  if (fromMemory !== null) return fromMemory;
  const { fromMs, toMs } = dayUpToNow(market);
  const gaps = await countGaps(deps.pool, symbol, fromMs, toMs);
  // Read with the channels, after the wait: nothing was received after it.
  return freshnessWith(market, venue, gaps);
}
