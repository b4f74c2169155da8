const SYMBOL = '[A-Z0-9]{1,20}USD-PERP';
const VENUE = '@[a-z0-9][a-z0-9-]{0,39}';

export const SYMBOL_FORM = new RegExp(`^${SYMBOL}$`);

/**
 * A market is a symbol at one venue. Its key is the symbol itself at the symbol's primary venue in a deployment, else
 * `<symbol>@<venue>`, such as `BTCUSD-PERP@okx`.
 */
export const MARKET_FORM = new RegExp(`^${SYMBOL}(?:${VENUE})?$`);

/** A market away from its symbol's primary venue. */
export const SECONDARY_MARKET_FORM = new RegExp(`^${SYMBOL}${VENUE}$`);

export interface Market {
  readonly symbol: string;
  /** Absent: the primary one. */
  readonly venue?: string;
}

/** @param primary the symbol's primary venue */
export function marketOf(symbol: string, venue: string, primary: string): string {
  return venue === primary ? symbol : `${symbol}@${venue}`;
}

/** Inverse of `marketOf`, up to the name of the primary venue. */
export function readMarket(market: string): Market {
  const at = market.indexOf('@');
  return at === -1 ? { symbol: market } : { symbol: market.slice(0, at), venue: market.slice(at + 1) };
}

/** The fields by which a line names its market: `symbol`, and `market` if the symbol alone does not. */
export function marketFields(market: string): { readonly symbol: string; readonly market?: string } {
  const { symbol, venue } = readMarket(market);
  return venue === undefined ? { symbol } : { symbol, market };
}
