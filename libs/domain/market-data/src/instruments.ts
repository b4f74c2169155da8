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

/** What the service must know of one instrument. */
export interface Instrument extends PlayedInstrument {
  readonly contractValue: string;
}

const BINANCE_COINM = {
  venue: 'binance-coinm',
  channels: ['book', 'trade'],
  bookStalenessMs: 5_000,
  tradeStalenessMs: 60_000,
  contextStalenessMs: 120_000,
  closingLagMs: 1_000,
} as const;

/** Every instrument the service knows, one row each. */
export const instruments: readonly Instrument[] = [
  { symbol: 'BTCUSD-PERP', venueInstrument: 'BTCUSD_PERP', contractValue: '100', ...BINANCE_COINM },
  { symbol: 'ETHUSD-PERP', venueInstrument: 'ETHUSD_PERP', contractValue: '10', ...BINANCE_COINM },
];

/** A symbol that is not there: in the instrument table, or in a recording. */
export class UnknownSymbolError extends Error {
  override readonly name = 'UnknownSymbolError';
}

/** The instrument of a symbol. @throws UnknownSymbolError naming the symbols that are known. */
export function instrumentOf(symbol: string): Instrument {
  const instrument = instruments.find((row) => row.symbol === symbol);
  if (instrument !== undefined) return instrument;
  const known = instruments.map((row) => row.symbol).join(', ');
  throw new UnknownSymbolError(`unknown symbol ${JSON.stringify(symbol.slice(0, 40))}; known: ${known}`);
}
