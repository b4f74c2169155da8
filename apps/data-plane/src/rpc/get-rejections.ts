import type { marketData } from '@market-state/contracts';
import { unavailable } from '@market-state/errors';
import { refuseFaults, symbolFaults } from '@market-state/request-checks';
import type { RpcDeps } from './deps';

/** Time the feed has to answer. */
const FEED_DEADLINE_MS = 1_000;

/** What the feed counted of a symbol. @throws ServiceError UNAVAILABLE when it does not answer, or does not play the symbol yet */
export async function getRejections(
  { feed, tail }: RpcDeps,
  { symbol }: marketData.GetRejectionsRequest,
): Promise<marketData.GetRejectionsResponse> {
  refuseFaults(symbolFaults(symbol));
  tail.marketOf(symbol);
  const { symbols, startedMs } = await feed.call.getFeedState({}, { deadlineMs: FEED_DEADLINE_MS });
  const state = symbols.find((each) => each.symbol === symbol);
  if (state === undefined) throw unavailable('upstream_unavailable', 'The feed process does not report this symbol.');
  return { rejectedTotal: state.rejectedTotal, countedSinceMs: startedMs };
}
