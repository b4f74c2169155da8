import type { marketData } from '@market-state/contracts';
import { readContext } from '@market-state/live-market';
import { refuseFaults, symbolFaults } from '@market-state/request-checks';
import type { RpcDeps } from './deps';

/** The newest context of a symbol from memory, each value as it was sent. */
export async function getActiveAsset(
  { tail, venues }: RpcDeps,
  { symbol }: marketData.GetActiveAssetRequest,
): Promise<marketData.GetActiveAssetResponse> {
  refuseFaults(symbolFaults(symbol));
  return readContext(tail.marketOf(symbol), venues.of(symbol));
}
