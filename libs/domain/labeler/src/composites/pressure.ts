import { round6 } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import { sideOf, term, type CompositeSignal } from './signal';

/** What pressure reads of the book; null when the book family is missing. */
export interface PressureInput {
  /** Signed imb_5 and imb_1 at T. */
  readonly imbalance5: number;
  readonly imbalance1: number;
  /** Time-weighted mean of imb_5 over 60 s. */
  readonly mean60: number;
}

/**
 * Pressure: p = 0.5 × imb_5 + 0.2 × imb_1 + 0.3 × m60, −1..1; score P = |p|, 0..1, side = sign of p (+1 bids outweigh asks). No unit, 6
 * decimals. Window: the book at T, and 60 s for m60. Source: the weights are ours; the parts are order-book imbalances (see `imbalance`).
 */
export function pressure(input: PressureInput | null, numbers: PolicyNumbers): CompositeSignal {
  const { composites } = numbers;
  const imbalance5 = input?.imbalance5 ?? 0;
  const imbalance1 = input?.imbalance1 ?? 0;
  const mean60 = input?.mean60 ?? 0;
  const signed = round6(
    composites.pressure_weight_top5 * imbalance5 + composites.pressure_weight_top1 * imbalance1 + composites.pressure_weight_mean * mean60,
  );
  return {
    score: Math.abs(signed),
    signed,
    side: sideOf(signed),
    available: input !== null,
    terms: [
      term('imb_5', input && imbalance5, true),
      term('imb_1', input && imbalance1, true),
      term('m60', input && mean60, true),
      term('pressure_signed', signed),
    ],
  };
}
