import type { marketData } from '@market-state/contracts';
import { unavailable } from '@market-state/errors';
import { refuseFaults, symbolFaults } from '@market-state/request-checks';
import type { RpcDeps } from './deps';

/** Time the feed has to answer. */
const FEED_DEADLINE_MS = 1_000;

/** What the feed counted of a symbol. @throws ServiceError UNAVAILABLE when it does not answer, or none plays the symbol yet */
export async function getRejections(
  { feeds, tail }: RpcDeps,
  { symbol }: marketData.GetRejectionsRequest,
): Promise<marketData.GetRejectionsResponse> {
  refuseFaults(symbolFaults(symbol));
  tail.marketOf(symbol);
  const told = (await feeds.states(FEED_DEADLINE_MS)).get(symbol);
  if (told === undefined || told.state.standsBy)
    throw unavailable('upstream_unavailable', 'The feed process that plays this symbol does not answer.');
  return { rejectedTotal: told.state.rejectedTotal, countedSinceMs: told.startedMs };
}
