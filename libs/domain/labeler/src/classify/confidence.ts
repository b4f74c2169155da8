import { term } from '../composites/signal';
import { clamp } from '../numbers/mean';
import { round6 } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import type { MarketRead } from '../read';

/** What confidence reads. */
export interface ConfidenceInput {
  readonly sourceSupportRatio: number;
  readonly margin: number;
  readonly sampleTotal: number;
  /** Age of the book; null without one. */
  readonly freshnessMs: number | null;
  readonly bookStalenessMs: number;
  /** 0..1: how full of books and trades the last 180 s are. */
  readonly evidence: number;
}

/**
 * confidence score, 0..1: source_support_ratio × (0.3 + 0.2 × min(1, margin / 0.2) + 0.2 × min(1, sample_event_total / 180) + 0.1 × fresh
 * + 0.2 × evidence); fresh is 1 to 1,000 ms, falls linearly to 0 at the staleness limit of the book, and is 0 without a book. No unit, 6
 * decimals; at T, samples over the session, evidence over 180 s. It says how well the packet is founded, not how probable anything is.
 * Source: ours.
 */
export function confidence(input: ConfidenceInput, { confidence: numbers }: PolicyNumbers): MarketRead['confidence'] {
  const margin = round6(Math.min(1, input.margin / numbers.margin_full));
  const samples = round6(Math.min(1, input.sampleTotal / numbers.sample_full));
  const fresh = freshShare(input, numbers);
  const score = round6(
    input.sourceSupportRatio *
      (numbers.base +
        numbers.margin_weight * margin +
        numbers.sample_weight * samples +
        numbers.fresh_weight * fresh +
        numbers.evidence_weight * input.evidence),
  );
  return {
    score,
    label: confidenceLabel(score, numbers),
    terms: [
      term('source_support_ratio', input.sourceSupportRatio),
      term('margin_share', margin),
      term('sample_share', samples),
      term('fresh_share', fresh),
      term('evidence_share', input.evidence),
    ],
  };
}

/** The band of a confidence score: `low` under 0.4, `medium` under 0.7, else `high`. Source: ours. */
export function confidenceLabel(score: number, numbers: PolicyNumbers['confidence']): 'low' | 'medium' | 'high' {
  if (score >= numbers.high_from) return 'high';
  return score >= numbers.medium_from ? 'medium' : 'low';
}

function freshShare({ freshnessMs, bookStalenessMs }: ConfidenceInput, numbers: PolicyNumbers['confidence']): number {
  if (freshnessMs === null) return 0;
  if (freshnessMs <= numbers.fresh_full_ms) return 1;
  return round6(clamp((bookStalenessMs - freshnessMs) / (bookStalenessMs - numbers.fresh_full_ms), 0, 1));
}
