import type { labeling } from '@market-state/contracts';
import type { Described } from '../../../serving/openapi/described';

/** Judgements of every tenant, counted, and the share of them that says `useful`; null where there are none. */
export function feedbackCounts(totals: labeling.FeedbackTotals | undefined): Described<'FeedbackCounts'> {
  const { useful = 0, partial = 0, missingContext = 0, noise = 0 } = totals ?? {};
  const total = useful + partial + missingContext + noise;
  return { feedback_total: total, useful, partial, missing_context: missingContext, noise, agreement_share: shareOf(useful, total) };
}

/** A part of a whole, to six decimals; null of nothing. */
export function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 1e6) / 1e6;
}
