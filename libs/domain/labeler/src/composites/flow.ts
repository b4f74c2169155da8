import type { StateTrades } from '../features/read-state-window';
import { sideOf, term, type CompositeSignal } from './signal';

/**
 * Flow: f = flow_180s, trades of 180 s against the depth that the book shows once a minute, −1..1; score F = |f|, 0..1, side = sign of f
 * (+1 buyers cross more). No unit, 6 decimals. It cannot be read without trades (`input` null) and where no book was held to measure
 * against. Source: ours (see `signedFlow`). It counts trades alone, unlike the order-flow imbalance of R. Cont, A. Kukanov and S. Stoikov
 * (2014), which counts quotes and cancellations at the best prices.
 */
export function flow(input: StateTrades | null): CompositeSignal {
  const signed = input?.flow ?? 0;
  const missing = input === null;
  return {
    score: Math.abs(signed),
    signed,
    side: sideOf(signed),
    available: input !== null && input.flow !== null,
    terms: [
      term('trade_imbalance', input && input.imbalance, missing),
      term('depth_ratio', input && input.depthRatio, missing),
      term('flow_10s', input && input.flow10s, missing),
      term('flow_signed', signed),
    ],
  };
}
