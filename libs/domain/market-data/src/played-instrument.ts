import type { Channel } from './event';

export interface PlayedInstrument {
  readonly symbol: string;
  readonly venue: string;
  readonly venueInstrument: string;
  /** US dollars per inverse contract; absent if quantities are in base units. */
  readonly contractValue?: string;
  /** Channels that the source provides; unlisted ones are missing. */
  readonly channels: readonly Channel[];
  /** Age at which a channel's last event is stale. */
  readonly bookStalenessMs: number;
  readonly tradeStalenessMs: number;
  readonly contextStalenessMs: number;
  /** Window T closes at the first tick at or past T plus this. */
  readonly closingLagMs: number;
}

/** Contract values by venue instrument, for inverse contracts. */
export function contractValuesOf(instruments: readonly PlayedInstrument[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    instruments.flatMap(({ venueInstrument, contractValue }) => (contractValue === undefined ? [] : [[venueInstrument, contractValue]])),
  );
}

/** `recording`, or a feed of the venue registry. */
export type FeedName = string;

export interface InstrumentRow extends PlayedInstrument {
  readonly feed: FeedName;
}

export interface DescribedInstrument extends InstrumentRow {
  /** Base units per unit of size in CSV files; absent: sizes are base units or inverse contracts. */
  readonly contractSize?: string;
}

/** Symbol missing from the instrument table or a recording. */
export class UnknownSymbolError extends Error {
  override readonly name = 'UnknownSymbolError';
}
