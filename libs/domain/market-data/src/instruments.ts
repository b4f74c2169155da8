import binance from '../instruments/binance.json';
import hyperliquid from '../instruments/hyperliquid.json';
import recording from '../instruments/recording.json';
import simulated from '../instruments/simulated.json';
import type { Channel } from './event';
import { type InstrumentRow, readInstrumentRows } from './instrument-rows';

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

/** An instrument of the recordings that come with the product: inverse contracts. */
export interface Instrument extends InstrumentRow {
  readonly contractValue: string;
}

/** The instrument table that comes with the product, row by row; `INSTRUMENTS_FILE` replaces it. */
export const instrumentRows: readonly InstrumentRow[] = readInstrumentRows([...recording, ...simulated, ...hyperliquid, ...binance]);

/** A symbol that is not there: in the instrument table, or in a recording. */
export class UnknownSymbolError extends Error {
  override readonly name = 'UnknownSymbolError';
}

/** The instrument of a symbol's bundled recording. @throws UnknownSymbolError naming the symbols that have one. */
export function instrumentOf(symbol: string): Instrument {
  const recorded = instrumentRows.filter((row): row is Instrument => row.feed === 'recording' && row.contractValue !== undefined);
  const instrument = recorded.find((row) => row.symbol === symbol);
  if (instrument !== undefined) return instrument;
  throw new UnknownSymbolError(
    `unknown symbol ${JSON.stringify(symbol.slice(0, 40))}; known: ${recorded.map((row) => row.symbol).join(', ')}`,
  );
}
