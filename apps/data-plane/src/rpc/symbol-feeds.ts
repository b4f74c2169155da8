import type { feed, marketData } from '@market-state/contracts';
import type { RpcDeps } from './deps';

/** Asks the feed how far each symbol is, and the log whether its venue is connected; never fails itself. */
export async function probeSymbolFeeds({ feed, tail }: RpcDeps, deadlineMs: number): Promise<marketData.ComponentHealth[]> {
  const startedMs = performance.now();
  const told = await feed.call.getFeedState({}, { deadlineMs }).then(
    ({ symbols }) => symbols,
    () => [],
  );
  const latencyMs = sinceMs(startedMs);
  return tail.symbols.map((symbol) => {
    const detail = complaintOf(
      told.find((each) => each.symbol === symbol),
      tail.peek(symbol)?.isDisconnected ?? false,
    );
    return { component: `feed:${symbol}`, healthy: detail === '', latencyMs, detail };
  });
}

/** What is wrong with a symbol's feed, in a sentence; empty when nothing is. */
function complaintOf(state: feed.SymbolFeedState | undefined, isDisconnected: boolean): string {
  switch (state?.phase) {
    case 'playing':
      return isDisconnected ? 'The venue is disconnected.' : '';
    case 'priming':
      return 'It is behind its time, or its venue was not reached yet.';
    case 'paused':
      return 'It waits for consumers of its log, or for room in it.';
    case 'stopped':
      return 'It has stopped, and is tried again.';
    default:
      return 'The feed process does not tell of it.';
  }
}

/** Time since a reading of `performance.now`, milliseconds with three decimals. */
export function sinceMs(startedMs: number): number {
  return Math.round((performance.now() - startedMs) * 1_000) / 1_000;
}
