import type { ReadVenue, SymbolMarket } from '@market-state/live-market';
import type { InstrumentRow } from '@market-state/market-data';
import type { ToldInstrument } from '../store/served-instruments';

/** What is known of a symbol's venue: as the feed told when it started and when it connected, else as the instrument table says. */
export interface VenueView extends ReadVenue {
  /** The venue's own name of the instrument. */
  readonly venueInstrument: string;
}

/** What a view is made of. */
export interface VenueSources {
  readonly market: SymbolMarket | undefined;
  readonly told: ToldInstrument | undefined;
  readonly row: InstrumentRow | undefined;
}

const UNKNOWN = { channels: [], bookStalenessMs: 0, tradeStalenessMs: 0, contextStalenessMs: 0, closingLagMs: 0 } as const;

export function venueOf({ market, told, row }: VenueSources): VenueView {
  const names = told ?? row;
  const limits = market?.facts ?? row ?? UNKNOWN;
  return {
    venue: names?.venue ?? market?.venue ?? '',
    venueInstrument: names?.venueInstrument ?? '',
    contractValue: names?.contractValue,
    sourceKind: market?.facts?.sourceKind ?? told?.sourceKind,
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
