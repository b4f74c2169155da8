import type { FeedStatus } from '@market-state/market-data';
import type { DataChannel } from '../feed/fault';

export const VENUE_CHANNELS = ['book', 'trade', 'context', 'liquidation'] as const satisfies readonly DataChannel[];

/** A window closes at the first tick at or past its end plus this. */
export const CLOSING_LAG_MS = 1_000;

export function connectedStatus(channels: readonly DataChannel[]): FeedStatus {
  return {
    type: 'connected',
    channels,
    bookStalenessMs: 5_000,
    tradeStalenessMs: 60_000,
    contextStalenessMs: 120_000,
    closingLagMs: CLOSING_LAG_MS,
    sourceKind: 'simulated',
  };
}

/** Inside the engine, prices are whole ticks and sizes whole lots; outside, decimal strings. */
export interface SimulatedInstrument {
  readonly symbol: string;
  /** 1: a tick of 0.1 quote units. */
  readonly tickDecimals: number;
  /** 2: a lot of 0.01 base units. */
  readonly lotDecimals: number;
  /** Quote units. */
  readonly startPrice: number;
  /** Near the touch, base units. */
  readonly levelSize: number;
  /** Mean, base units. */
  readonly tradeSize: number;
  /** Base units. */
  readonly openInterest: number;
}

export const DEFAULT_SYMBOL = 'SIMUSD-PERP';

export function simulatedInstrument(symbol: string): SimulatedInstrument {
  return { symbol, tickDecimals: 1, lotDecimals: 2, startPrice: 1_500, levelSize: 20, tradeSize: 1, openInterest: 90_000 };
}
