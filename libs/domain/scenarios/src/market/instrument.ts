/** What the market trades. Prices are whole ticks and sizes whole lots inside the engine, decimal strings outside. */
export interface SimulatedInstrument {
  readonly symbol: string;
  /** Decimals of the tick: 1 is a tick of 0.1 quote units. */
  readonly tickDecimals: number;
  /** Decimals of the lot: 2 is a lot of 0.01 base units. */
  readonly lotDecimals: number;
  /** Quote units. */
  readonly startPrice: number;
  /** Size about which the resting size of a level near the touch varies, base units. */
  readonly levelSize: number;
  /** Mean size of a market order, base units. */
  readonly tradeSize: number;
  /** Base units. */
  readonly openInterest: number;
}

/** Symbol of a log unless another is asked for. */
export const DEFAULT_SYMBOL = 'SIMUSD-PERP';

/** The one instrument of the simulated venue: tick 0.1 at about 1,500 (0.67 bps), lot 0.01. */
export function simulatedInstrument(symbol: string): SimulatedInstrument {
  return { symbol, tickDecimals: 1, lotDecimals: 2, startPrice: 1_500, levelSize: 20, tradeSize: 1, openInterest: 90_000 };
}
