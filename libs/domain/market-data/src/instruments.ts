import recording from '../instruments/recording.json';
import { readInstrumentRows } from './instrument-rows';
import type { InstrumentRow } from './played-instrument';
import { UnknownSymbolError } from './unknown-symbol-error';
import { venues } from './venues';

/** An instrument of the recordings that come with the product: inverse contracts. */
export interface Instrument extends InstrumentRow {
  readonly contractValue: string;
}

/** The instrument table that comes with the product, row by row; `INSTRUMENTS_FILE` replaces it. */
export const instrumentRows: readonly InstrumentRow[] = readInstrumentRows([
  ...recording,
  ...new Set(venues.flatMap(({ live }) => live?.rows ?? [])),
]);

/** The instrument of a symbol's bundled recording. @throws UnknownSymbolError naming the symbols that have one. */
export function instrumentOf(symbol: string): Instrument {
  const recorded = instrumentRows.filter((row): row is Instrument => row.feed === 'recording' && row.contractValue !== undefined);
  const instrument = recorded.find((row) => row.symbol === symbol);
  if (instrument !== undefined) return instrument;
  throw new UnknownSymbolError(
    `unknown symbol ${JSON.stringify(symbol.slice(0, 40))}; known: ${recorded.map((row) => row.symbol).join(', ')}`,
  );
}
