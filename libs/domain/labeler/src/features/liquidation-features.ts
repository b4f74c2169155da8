import { round6 } from '../numbers/round';
import type { Side } from '../read';
import type { LiquidationRecord } from '../windows/liquidation-window';

/** Forced flow of the window, 300 s. */
export interface LiquidationFeatures {
  readonly total: number;
  /** liquidation_notional_usd: sum of size × mid of the book in force at each, at least 0. */
  readonly notionalUsd: number;
  /** (long − short) / (long + short) liquidated notional, −1..1; null when the notional is 0. */
  readonly skew: number | null;
  /** −1: longs were liquidated more, which presses down; +1: shorts; 0: balanced. */
  readonly direction: Side;
  readonly proxyTotal: number;
}

/** liquidation_event_count, _notional_usd, _skew and _pressure_direction of the liquidations given. */
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
