import type { Channel, InstrumentRow, SourceKind } from '@market-state/market-data';
import type { ToldInstrument } from '../store/served-instruments';
import type { SymbolMarket } from './symbol-market';

/** What is known of a symbol's venue: as the feed told when it started and when it connected, else as the instrument table says. */
export interface VenueView {
  /** Lower case; empty until it is known. */
  readonly venue: string;
  /** The venue's own name of the instrument. */
  readonly venueInstrument: string;
  /** Quote currency value of one contract; undefined where quantities are in base units. */
  readonly contractValue: string | undefined;
  /** Undefined until the feed has told. */
  readonly sourceKind: SourceKind | undefined;
  /** Channels that the venue reports. */
  readonly channels: readonly Channel[];
  readonly closingLagMs: number;
  /** Age at which a channel is stale; 0: it has no such age, it may be silent for long. */
  stalenessMs(channel: Channel): number;
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
