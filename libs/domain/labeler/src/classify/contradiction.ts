import { term } from '../composites/signal';
import { round6 } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import type { CompositeName, CompositeRead, MarketRead } from '../read';

/**
 * contradiction_score, 0..1: min(1, 0.6 × min(P̂, F̂) if book and flow lean to opposite sides, + 0.2 if liquidation pressure is opposite to
 * flow, + 0.2 × (1 − source_support_ratio)). No unit, 6 decimals; of one packet. Source: ours.
 */
export function contradiction(
  composites: Readonly<Record<CompositeName, CompositeRead>>,
  sourceSupportRatio: number,
  { contradiction: numbers }: PolicyNumbers,
): MarketRead['contradiction'] {
  const { pressure, flow, forced_flow: forced } = composites;
  const againstFlow = pressure.side * flow.side === -1 ? round6(numbers.flow_weight * Math.min(pressure.norm, flow.norm)) : 0;
  const againstLiquidations = forced.side * flow.side === -1 ? numbers.liquidation_weight : 0;
  const unsupported = round6(numbers.support_weight * (1 - sourceSupportRatio));
  return {
    score: round6(Math.min(1, againstFlow + againstLiquidations + unsupported)),
    terms: [
      term('book_against_flow', againstFlow),
      term('liquidations_against_flow', againstLiquidations),
      term('unsupported_sources', unsupported),
    ],
  };
}
