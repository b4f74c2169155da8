import { SymbolMarket } from '@market-state/live-market';
import type { LiveMarket } from '../../src/clients/live-market-data';
import { MarketEvents } from './market-events';

export const CHANNELS = ['book', 'trade', 'context', 'liquidation'] as const;

/** Venue that reports every channel; liquidations may be silent for long. */
export const VENUE = {
  venue: 'simulated',
  sourceKind: 'simulated',
  channels: CHANNELS,
  contractValue: undefined,
  closingLagMs: 1_000,
  stalenessMs: (channel: string) => (channel === 'liquidation' ? 0 : 60_000),
} as const;

/** Market with two of everything. */
export function liveMarket(symbol: string): LiveMarket {
  const events = new MarketEvents(symbol);
  const market = new SymbolMarket(symbol, () => 0);
  market.apply(events.connected(CHANNELS));
  for (const at of [100, 101])
    for (const event of [
      events.book(at),
      events.trade(at),
      events.context({ markPrice: String(at) }),
      events.liquidation(at),
      events.gap(`gap_${at}`),
    ])
      market.apply(event);
  market.followedFrom = { epoch: 1, ordinal: 1 };
  return { market, venue: VENUE, ledgerRevision: 1 };
}
