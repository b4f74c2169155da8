import type { Channel } from './event';

/** What must be known of an instrument that is played: its names, and the venue's facts that `connected` carries. */
export interface PlayedInstrument {
  /** `<BASE>USD-PERP`. */
  readonly symbol: string;
  /** Venue, lower case. */
  readonly venue: string;
  /** The venue's own name of the instrument. */
  readonly venueInstrument: string;
  /** US dollars a contract stands for (inverse contract), a decimal; absent where quantities are in base units. */
  readonly contractValue?: string;
  /** Channels that the source reports; a channel not listed is missing. */
  readonly channels: readonly Channel[];
  /** Age at which a channel's last event is stale. */
  readonly bookStalenessMs: number;
  readonly tradeStalenessMs: number;
  readonly contextStalenessMs: number;
  /** A window T closes at the first tick whose clock is at or past T plus this. */
  readonly closingLagMs: number;
}

/** US dollars that a contract stands for, by the venue's name of the instrument; those whose quantities are contracts. */
export function contractValuesOf(instruments: readonly PlayedInstrument[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    instruments.flatMap(({ venueInstrument, contractValue }) => (contractValue === undefined ? [] : [[venueInstrument, contractValue]])),
  );
}

/** Where a symbol's messages can come from: `recording`, or a feed of the registry of venues. */
export type FeedName = string;

/** One row of the instrument table: what a feed plays under a symbol. */
export interface InstrumentRow extends PlayedInstrument {
  readonly feed: FeedName;
}

/** An instrument as its user describes it, where the table has no row of it. */
export interface DescribedInstrument extends InstrumentRow {
  /** Base units that one of the sizes of CSV files stands for, a decimal; absent: sizes are base units, or inverse contracts. */
  readonly contractSize?: string;
}

/** A symbol that is not there: in the instrument table, or in a recording. */
export class UnknownSymbolError extends Error {
  override readonly name = 'UnknownSymbolError';
}
