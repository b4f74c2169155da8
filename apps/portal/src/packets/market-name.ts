import { readMarket } from '@market-state/market-data';

interface Named {
  readonly symbol: string;
  /** Absent at the symbol's primary venue. */
  readonly venue?: string;
}

/** The row with the name of its market as symbol: `BTCUSD-PERP`, or `BTCUSD-PERP@okx` away from the primary venue. */
export function marketNamed<Row extends Named>(row: Row): Row {
  return row.venue === undefined ? row : { ...row, symbol: `${row.symbol}@${row.venue}` };
}

/** Entries with a venue each, the primary one of a symbol first, named like rows. */
export function marketsNamed<Entry extends Required<Named>>(entries: readonly Entry[]): readonly Entry[] {
  const isFirst = ({ symbol }: Entry, at: number): boolean => entries.findIndex((other) => other.symbol === symbol) === at;
  return entries.map((entry, at) => (isFirst(entry, at) ? entry : marketNamed(entry)));
}

/** The market of an answer that always has a venue, by the named entries of the catalog. */
export function marketIn(named: readonly Required<Named>[], { symbol, venue }: Required<Named>): string {
  return named.find((each) => symbolOf(each.symbol) === symbol && each.venue === venue)?.symbol ?? symbol;
}

/** The market that a packet's replay cursor names. */
export function marketOfPacket({ symbol, replay }: { readonly symbol: string; readonly replay: { readonly cursor: string } }): string {
  return replay.cursor.split('.')[1] ?? symbol;
}

export function symbolOf(market: string): string {
  return readMarket(market).symbol;
}

/** Names of venues in sentences and lists. */
const VENUE_NAMES: Readonly<Record<string, string>> = {
  'binance-coinm': 'Binance COIN-M',
  'binance-usdm': 'Binance USD-M',
  bybit: 'Bybit',
  hyperliquid: 'Hyperliquid',
  kraken: 'Kraken',
  okx: 'OKX',
  simulated: 'Simulated',
};

export function venueWords(venue: string): string {
  return VENUE_NAMES[venue] ?? venue;
}

/** The market for readers: `BTCUSD-PERP`, or `BTCUSD-PERP at OKX`. */
export function marketWords(market: string): string {
  const { symbol, venue } = readMarket(market);
  return venue === undefined ? market : `${symbol} at ${venueWords(venue)}`;
}

export function marketsWords(markets: readonly string[]): string {
  return markets.map(marketWords).join(', ');
}

/** Text of the service, in which markets have their names for requests. */
export function sentenceWords(text: string): string {
  return text.replace(/[A-Z0-9]+USD-PERP@[a-z0-9-]*[a-z0-9]/g, marketWords);
}
