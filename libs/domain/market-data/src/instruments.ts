import binance from '../instruments/binance.json';
import hyperliquid from '../instruments/hyperliquid.json';
import recording from '../instruments/recording.json';
import simulated from '../instruments/simulated.json';
import { type InstrumentRow, readInstrumentRows } from './instrument-rows';

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
