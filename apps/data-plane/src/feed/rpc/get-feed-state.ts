import type { feed } from '@market-state/contracts';
import type { Snapshots } from './get-deep-book';

/** The feed's clock and place, per symbol. `startedMs`: since when it counts. */
export async function getFeedState(snapshots: Snapshots, startedMs: number): Promise<feed.GetFeedStateResponse> {
  return {
    startedMs,
    symbols: [...snapshots.values()].map((snapshot) => {
      const { symbol, phase, pass, epoch, lastOrdinal, view, rejectedTotal } = snapshot();
      return { symbol, phase, pass, epoch, lastOrdinal, feedClockMs: view.feedClockMs, rejectedTotal: { ...rejectedTotal } };
    }),
  };
}
