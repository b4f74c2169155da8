import { round6 } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import { sideOf, term, type CompositeSignal } from './signal';

/** What flow reads of the trades of 60 s; null when the trades family is missing. */
export interface FlowInput {
  /** Signed trade imbalance; null when nothing traded. */
  readonly tradeImbalance: number | null;
  readonly tradeCount: number;
}

/**
 * Flow: f = signed trade imbalance × min(1, recent_trade_count / 20), −1..1; score F = |f|, 0..1, side = sign of f (+1 buyers cross more).
 * No unit, 6 decimals. Window: 60 s. Source: ours, over the trade imbalance; few trades weigh less. It counts trades alone, unlike the
 * order-flow imbalance of R. Cont, A. Kukanov and S. Stoikov (2014), which counts quotes and cancellations at the best prices.
 */
export function flow(input: FlowInput | null, numbers: PolicyNumbers): CompositeSignal {
  const tradeImbalance = input?.tradeImbalance ?? 0;
  const countFactor = round6(Math.min(1, (input?.tradeCount ?? 0) / numbers.composites.flow_full_trade_count));
  const signed = round6(tradeImbalance * countFactor);
  return {
    score: Math.abs(signed),
    signed,
    side: sideOf(signed),
    available: input !== null,
    terms: [
      term('trade_imbalance', input && input.tradeImbalance, input === null),
      term('trade_count_factor', input && countFactor, input === null),
      term('flow_signed', signed),
    ],
  };
}
