/** The market moves in steps of this length. */
export const STEP_MS = 250;
export const STEPS_PER_SECOND = 1_000 / STEP_MS;

/** What scenarios change over time. The market itself always works the same way. */
export interface MarketConditions {
  /** Standard deviation of the fair price, bps per square root of a second. */
  readonly volatilityBps: number;
  /** Standard deviation of the passing noise of quotes around the fair price, ticks. */
  readonly noiseTicks: number;
  /** Of the fair price. */
  readonly driftBpsPerMinute: number;
  /** Where the fair price is drawn to, bps from the opening price; null: it goes where it will. */
  readonly anchorBps: number | null;
  /** Mean distance of the two best prices, at least 1. */
  readonly spreadTicks: number;
  /** Resting size on both sides; 1 is ordinary. */
  readonly depth: number;
  /** (bid − ask) / (bid + ask) size that the book tends to, −1..1. */
  readonly depthSkew: number;
  /** Chance, each 250 ms and side, that more than half of the best size is withdrawn. */
  readonly withdrawals: number;
  /** Share of the way back to its ordinary size that a level makes when it is renewed, 0..1. */
  readonly refill: number;
  /** Market orders a second, at most 60. */
  readonly ordersPerSecond: number;
  /** Expected (buy − sell) / (buy + sell) size of market orders, −1..1. */
  readonly flowSkew: number;
  /** Size of market orders; 1 is ordinary. */
  readonly orderSize: number;
  /** How far trades move the fair price; 1 is ordinary, 0 a market that takes them without giving way. */
  readonly impact: number;
  /** Rate that funding tends to, per hour (0.00001 is 0.001 %). */
  readonly fundingPerHour: number;
  /** Growth of open interest an hour, as a share: 0.05 is 5 %. */
  readonly openInterestGrowthPerHour: number;
  /** Forced closes of positions a second, at most 20. */
  readonly liquidationsPerSecond: number;
  /** Whose positions are closed. */
  readonly liquidated: 'long' | 'short';
  /** Size of forced closes as a multiple of an ordinary market order. */
  readonly liquidationSize: number;
}

/** An ordinary two-sided market: about 24 % volatility a year, two ticks of spread, five orders a second. */
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
