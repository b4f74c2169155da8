/** What is traded behind an address of Bybit's public stream. */
export type BybitMarket = 'linear' | 'spot' | 'inverse' | 'option' | 'other';

const MARKET = /\/v5\/public\/(linear|spot|inverse|option)(?:[/?]|$)/;

function marketOf(address: string): BybitMarket {
  return (MARKET.exec(address)?.[1] as BybitMarket | undefined) ?? 'other';
}

/**
 * Which connections of a recording are of linear perpetuals.
 * Markets have instruments of one name: `BTCUSDT` is a perpetual and a spot pair.
 */
export class BybitConnections {
  private readonly markets = new Map<string, BybitMarket>();

  /** A connection was opened, or written to, at this address. */
  opened(connection: string, address: string): void {
    this.markets.set(connection, marketOf(address));
  }

  /** Undefined while no address was told. */
  marketOf(connection: string): BybitMarket | undefined {
    return this.markets.get(connection);
  }

  /** One whose address was not told, as in a part of a recording, is taken to be. */
  isLinear(connection: string): boolean {
    const market = this.markets.get(connection);
    return market === undefined || market === 'linear';
  }
}
