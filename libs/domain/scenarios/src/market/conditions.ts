export const STEP_MS = 250;
export const STEPS_PER_SECOND = 1_000 / STEP_MS;

/** Parameters that scenarios vary; the market mechanics stay the same. */
export interface MarketConditions {
  /** Standard deviation of the fair price, bps per √s. */
  readonly volatilityBps: number;
  /** Standard deviation of mean-reverting quote noise around the fair price. */
  readonly noiseTicks: number;
  readonly driftBpsPerMinute: number;
  /** Level the fair price is drawn to, bps from the opening price; null: none. */
  readonly anchorBps: number | null;
  readonly spreadTicks: number;
  /** Resting size on both sides; 1 is ordinary. */
  readonly depth: number;
  /** Target (bid − ask) / (bid + ask) size of the book, −1..1. */
  readonly depthSkew: number;
  /** Chance per 250 ms and side that more than half of the best size is withdrawn. */
  readonly withdrawals: number;
  /** Share of the way to its ordinary size, 0..1. */
  readonly refill: number;
  /** Market orders per second, at most 60. */
  readonly ordersPerSecond: number;
  /** Expected (buy − sell) / (buy + sell) size of market orders, −1..1. */
  readonly flowSkew: number;
  readonly orderSize: number;
  /** Price impact of trades; 1 is ordinary, 0 absorbs them completely. */
  readonly impact: number;
  /** Hourly target rate (0.00001 is 0.001 %). */
  readonly fundingPerHour: number;
  /** Hourly growth as a share: 0.05 is 5 %. */
  readonly openInterestGrowthPerHour: number;
  /** At most 20. */
  readonly liquidationsPerSecond: number;
  readonly liquidated: 'long' | 'short';
  /** Multiple of an ordinary market order. */
  readonly liquidationSize: number;
}

/** Ordinary two-sided market: about 24 % yearly volatility, a two-tick spread, five orders per second. */
export const ORDINARY: MarketConditions = {
  volatilityBps: 0.33,
  noiseTicks: 0.9,
  driftBpsPerMinute: 0,
  anchorBps: null,
  spreadTicks: 2,
  depth: 1,
  depthSkew: 0,
  withdrawals: 0.01,
  refill: 0.3,
  ordersPerSecond: 5,
  flowSkew: 0,
  orderSize: 1,
  impact: 1,
  fundingPerHour: 0.000_012_5,
  openInterestGrowthPerHour: 0,
  liquidationsPerSecond: 0,
  liquidated: 'long',
  liquidationSize: 4,
};
