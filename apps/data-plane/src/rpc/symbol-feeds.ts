import type { feed, marketData } from '@market-state/contracts';
import type { RpcDeps } from './deps';

/** Asks the feed how far each symbol is, and the log whether its venue is connected; never fails itself. */
export async function probeSymbolFeeds({ feeds, tail }: RpcDeps, deadlineMs: number): Promise<marketData.ComponentHealth[]> {
  const startedMs = performance.now();
  const told = await feeds.states(deadlineMs);
  const latencyMs = sinceMs(startedMs);
  return tail.symbols.map((symbol) => {
    const detail = complaintOf(told.get(symbol)?.state, tail.peek(symbol)?.isDisconnected ?? false);
    return { component: `feed:${symbol}`, healthy: detail === '', latencyMs, detail };
  });
}

const DISCONNECTED = 'The venue is disconnected.';

/** What is wrong with a symbol's feed, in a sentence; empty when nothing is. */
function complaintOf(state: feed.SymbolFeedState | undefined, isDisconnected: boolean): string {
  // One that stands by takes over within seconds from one that writes no more.
  if (state?.standsBy === true) return isDisconnected ? DISCONNECTED : '';
  switch (state?.phase) {
    case 'playing':
      return isDisconnected ? DISCONNECTED : '';
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
