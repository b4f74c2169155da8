import { round6 } from '../numbers/round';
import type { Side } from '../read';
import type { LiquidationRecord } from '../windows/entry-windows';

/** Forced flow of the window, 300 s. Counts are whole numbers from 0. */
export interface LiquidationFeatures {
  readonly total: number;
  /** liquidation_notional_usd: sum of size × mid of the book in force at each, quote currency, at least 0, 6 decimals. */
  readonly notionalUsd: number;
  /** (long − short) / (long + short) liquidated notional, −1..1, 6 decimals; null when the notional is 0. */
  readonly skew: number | null;
  /** −1: longs were liquidated more, which presses down; +1: shorts; 0: balanced. */
  readonly direction: Side;
  readonly proxyTotal: number;
}

/**
 * liquidation_event_count, _notional_usd, _skew and _pressure_direction of the liquidations given, oldest first: those of (T − 300 s, T]
 * after the last cut of their channel. Skew and direction weigh notional, not events; venue-reported and proxy ones count alike. Source:
 * ours; the skew has the form of a volume imbalance, by position side.
 */
export function liquidationFeatures(liquidations: Iterable<LiquidationRecord>): LiquidationFeatures {
  let total = 0;
  let proxyTotal = 0;
  let notional = 0;
  let long = 0;
  let short = 0;
  for (const liquidation of liquidations) {
    total++;
    if (liquidation.proxy) proxyTotal++;
    notional += liquidation.notional;
    if (liquidation.long) long += liquidation.notional;
    else short += liquidation.notional;
  }
  return {
    total,
    proxyTotal,
    notionalUsd: round6(notional),
    skew: long + short === 0 ? null : round6((long - short) / (long + short)),
    direction: long > short ? -1 : long < short ? 1 : 0,
  };
}
