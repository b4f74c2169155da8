import type { Channel } from './event';

export interface PlayedInstrument {
  readonly symbol: string;
  readonly venue: string;
  readonly venueInstrument: string;
  /** US dollars per inverse contract; absent if quantities are in base units. */
  readonly contractValue?: string;
  /** Base units per unit of quantity, if quantities are contracts that are not inverse. */
  readonly contractSize?: string;
  /** Channels that the source provides; unlisted ones are missing. */
  readonly channels: readonly Channel[];
  readonly bookStalenessMs: number;
  readonly tradeStalenessMs: number;
  readonly contextStalenessMs: number;
  /** Window T closes at the first tick at or past T plus this. */
  readonly closingLagMs: number;
}

/** Values or sizes of contracts by venue instrument; absent if quantities are base units. */
export function contractValuesOf(instruments: readonly PlayedInstrument[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    instruments.flatMap(({ venueInstrument, contractValue, contractSize = contractValue }) =>
      contractSize === undefined ? [] : [[venueInstrument, contractSize]],
    ),
  );
}

/** `recording`, `import`, or a feed of the venue registry. */
export type FeedName = string;

/** Its symbols' logs are written only by imports of archives. */
export const IMPORT: FeedName = 'import';

/** Facts from the venue's metadata at the time the table was made. Decimals are plain; unknown ones are absent. */
export interface InstrumentFacts {
  /** Coins per unit of price and size: 1000 for `kPEPE`. */
  readonly multiplier: string;
  readonly quote: string;
  readonly tickSize?: string;
  /** In the unit of quantities. */
  readonly lotSize?: string;
  readonly fundingIntervalHours?: number;
  readonly listedMs?: number;
  readonly endsMs?: number;
  readonly dayVolumeUsd?: string;
}

export interface InstrumentRow extends PlayedInstrument {
  readonly feed: FeedName;
  /** Only in tables made from the venue's metadata. */
  readonly facts?: InstrumentFacts;
}

/** In CSV files, `contractSize` is base units per unit of size; absent: sizes are base units or inverse contracts. */
export type DescribedInstrument = InstrumentRow;

export class UnknownSymbolError extends Error {
  override readonly name = 'UnknownSymbolError';
}
