import { round6 } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import type { Side } from '../read';
import { term, type CompositeSignal } from './signal';

/** What forced flow reads of 300 s; null when the liquidations family is missing. */
export interface ForcedFlowInput {
  readonly liquidationNotionalUsd: number;
  readonly tradedNotionalUsd: number;
  readonly direction: Side;
}

/**
 * Forced flow: L = min(1, liquidation_notional_usd / max(50,000, 0.10 × traded notional in 300 s)), 0..1; side = pressure direction of the
 * liquidations (−1 longs liquidated more). No unit, 6 decimals. Window: 300 s for both notionals. The floor of 50,000 is in US dollars: the
 * one number of the composites that scales with the price. Source: ours.
 */
export function forcedFlow(input: ForcedFlowInput | null, numbers: PolicyNumbers): CompositeSignal {
  const { composites } = numbers;
  const traded = input?.tradedNotionalUsd ?? 0;
  const liquidated = input?.liquidationNotionalUsd ?? 0;
  const full = Math.max(composites.forced_flow_floor_usd, composites.forced_flow_traded_share * traded);
  const score = round6(Math.min(1, liquidated / full));
  return {
    score,
    signed: score,
    side: input?.direction ?? 0,
    available: input !== null,
    terms: [term('liquidation_notional_usd', input && liquidated, true), term('traded_notional_usd', input && traded, true)],
  };
}
