import type { FeedStatus } from '@market-state/market-data';
import type { DataChannel } from './fault';

/** What the simulated venue reports. */
export const VENUE_CHANNELS = ['book', 'trade', 'context', 'liquidation'] as const satisfies readonly DataChannel[];

/** A window closes at the first tick at or past its end plus this. */
export const CLOSING_LAG_MS = 1_000;

/** The `connected` entry of the simulated venue: staleness limits 5 s, 60 s and 120 s, closing lag 1 s. */
export function connectedStatus(channels: readonly DataChannel[]): FeedStatus {
  return {
    type: 'connected',
    channels,
    bookStalenessMs: 5_000,
    tradeStalenessMs: 60_000,
    contextStalenessMs: 120_000,
    closingLagMs: CLOSING_LAG_MS,
    sourceKind: 'simulated',
  };
}
