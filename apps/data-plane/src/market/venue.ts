import { type Channel, type Instrument, instrumentOf, type SourceKind } from '@market-state/market-data';
import type { SymbolMarket } from './symbol-market';

/** What is known of a symbol's venue: as the feed told when it connected, else as the instrument table says. */
export interface VenueView {
  readonly instrument: Instrument;
  /** Undefined until the feed has told. */
  readonly sourceKind: SourceKind | undefined;
  readonly channels: readonly Channel[];
  readonly closingLagMs: number;
  /** Age at which a channel is stale; 0: it has no such age, it may be silent for long. */
  stalenessMs(channel: Channel): number;
}

export function venueOf(symbol: string, market: SymbolMarket | undefined): VenueView {
  const instrument = instrumentOf(symbol);
  const facts = market?.facts;
  const limits = facts ?? instrument;
  return {
    instrument,
    sourceKind: facts?.sourceKind,
    channels: limits.channels,
    closingLagMs: limits.closingLagMs,
    stalenessMs(channel) {
      switch (channel) {
        case 'book':
          return limits.bookStalenessMs;
        case 'trade':
          return limits.tradeStalenessMs;
        case 'context':
          return limits.contextStalenessMs;
        case 'liquidation':
        case 'control':
          return 0;
      }
    },
  };
}
