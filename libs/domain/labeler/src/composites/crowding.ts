import { round6 } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import { term, type CompositeSignal } from './signal';

/** What crowding reads of the contract's context; null when that family is missing. */
export interface CrowdingInput {
  /** Absolute funding rate per hour; null when never sent. */
  readonly fundingRateAbs: number | null;
  /** Signed relative change of open interest over 1 h; null without a value 1 h old. */
  readonly openInterestChange: number | null;
}

/**
 * Crowding: C = 0.6 × min(1, |funding_rate| × 8,760 / 0.50) + 0.4 × min(1, |oi_change_1h| / 0.05), 0..1, no side. No unit, 6 decimals. The
 * rate is per hour: 50 % a year counts in full, as does a change of open interest by 5 %. Window: the last rate sent; 1 h of open interest.
 * Source: ours.
 */
export function crowding(input: CrowdingInput | null, numbers: PolicyNumbers): CompositeSignal {
  const { composites } = numbers;
  const fundingRate = input?.fundingRateAbs ?? 0;
  const change = input?.openInterestChange ?? 0;
  const funding = round6(Math.min(1, (fundingRate * composites.hours_per_year) / composites.funding_full_per_year));
  const openInterest = round6(Math.min(1, Math.abs(change) / composites.open_interest_full_change));
  const score = round6(composites.crowding_weight_funding * funding + composites.crowding_weight_open_interest * openInterest);
  const missing = input === null;
  const fundingKnown = input !== null && input.fundingRateAbs !== null;
  const changeKnown = input !== null && input.openInterestChange !== null;
  return {
    score,
    signed: score,
    side: 0,
    available: !missing,
    terms: [
      term('funding_term', fundingKnown ? funding : null, missing),
      term('oi_change_1h', changeKnown ? change : null, missing),
      term('open_interest_term', changeKnown ? openInterest : null, missing),
    ],
  };
}
