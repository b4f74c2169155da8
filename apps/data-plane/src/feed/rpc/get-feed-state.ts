import type { feed } from '@market-state/contracts';
import type { FeedRpcDeps } from './get-deep-book';

/** The feed's clock and position, by symbol. */
export async function getFeedState({ snapshots, startedMs }: FeedRpcDeps): Promise<feed.GetFeedStateResponse> {
  return {
    startedMs,
    symbols: [...snapshots.values()].map((snapshot) => {
      const { symbol, phase, pass, epoch, lastOrdinal, view, rejectedTotal, standsBy } = snapshot();
      return { symbol, phase, pass, epoch, lastOrdinal, feedClockMs: view.feedClockMs, rejectedTotal: { ...rejectedTotal }, standsBy };
    }),
  };
}
