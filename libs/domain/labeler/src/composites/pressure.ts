import type { HeldBooks } from '../features/state-window';
import { round6 } from '../numbers/round';
import { sideOf, term, type CompositeSignal } from './signal';

/** What pressure reads of the books; null when the book family is missing. */
export interface PressureInput {
  /** Signed imb_5 and imb_1 of the book at T: shown beside p, not in it. */
  readonly imbalance5: number;
  readonly imbalance1: number;
  readonly held: HeldBooks;
}

/**
 * Pressure: p = m180, the mean of imb_5 over 180 s, −1..1; score P = |p|, 0..1, side = sign of p (+1 bids outweigh asks). No unit, 6
 * decimals. Source: ours, over an order-book imbalance (see `heldBooks`); the best levels of one instant say little of the next, so that
 * only their mean counts.
 */
export function pressure(input: PressureInput | null): CompositeSignal {
  const signed = input?.held.imbalanceMean ?? 0;
  return {
    score: Math.abs(signed),
    signed,
    side: sideOf(signed),
    available: input !== null,
    terms: [
      term('imb_5', input && input.imbalance5, true),
      term('imb_1', input && input.imbalance1, true),
      term('m180', input && signed, true),
      term('held_seconds', input && round6(input.held.heldMs / 1000), true),
      term('pressure_signed', signed),
    ],
  };
}
