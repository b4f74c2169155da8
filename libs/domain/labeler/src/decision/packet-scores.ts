import { term } from '../composites/composites';
import { clamp, round6, roundHalfEven } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import type { CompositeRead, MarketRead, RangeMeans, SeverityBounds, SeverityClass } from '../read';
import { type CompositeName, COMPOSITES } from '../names';
import { movementShare, thinShare, type NearDepth } from '../features/ranges';

export function severityBounds({ severity }: PolicyNumbers): SeverityBounds {
  return { elevated: severity.elevated_from, high: severity.high_from, critical: severity.critical_from, source: 'policy_default' };
}

interface SeverityInput {
  readonly ranges: RangeMeans | null;
  readonly nearDepth: NearDepth | null;
  readonly composites: Readonly<Record<CompositeName, Pick<CompositeRead, 'score' | 'watch'>>>;
  readonly sourceState: boolean;
}

/**
 * event_severity, 0 to 1, 6 decimals: 0.8 × movement_share + 0.2 × thin_share, what is null counting 0. It rises with
 * recent price ranges against the symbol's own level, and as the depth near the mid falls under its own level. 0 with
 * an empty basis if a source state wins. Basis: `movement` from a share of 0.5, `thin_depth` from 0.65.
 * `strongestShare`, the largest X / (X + watch) of the composites, is not part of the score. Source: ours.
 */
export function severity(input: SeverityInput, numbers: PolicyNumbers): MarketRead['severity'] {
  const { severity: rules } = numbers;
  const movement = input.ranges && movementShare(input.ranges, numbers);
  const thin = input.nearDepth && thinShare(input.nearDepth);
  const score = input.sourceState ? 0 : round6(rules.movement_weight * (movement ?? 0) + rules.thin_weight * (thin ?? 0));
  const basis = [
    ...((movement ?? 0) >= rules.movement_basis_from ? (['movement'] as const) : []),
    ...((thin ?? 0) >= rules.thin_basis_from ? (['thin_depth'] as const) : []),
  ];
  const bounds = severityBounds(numbers);
  return {
    score,
    severityClass: input.sourceState ? 'routine_context' : severityClass(score, bounds),
    basis: input.sourceState ? [] : basis,
    movementShare: movement,
    thinShare: thin,
    strongestShare: Math.max(...COMPOSITES.map((name) => watchShare(input.composites[name]))),
    bounds,
  };
}

function watchShare({ score, watch }: Pick<CompositeRead, 'score' | 'watch'>): number {
  return round6(score / (score + watch));
}

function severityClass(score: number, { critical, high, elevated }: SeverityBounds): SeverityClass {
  if (score >= critical) return 'critical_context';
  if (score >= high) return 'high_context';
  return score >= elevated ? 'elevated_context' : 'routine_context';
}

/**
 * packet_quality score, integer 0 to 100: round(100 × source_support_ratio × (1 − 0.5 × min(1, gap seconds in 300 s /
 * 60))), half-even. `strong` from 85, `usable` from 60, else `limited`. Source: ours.
 */
export function quality(sourceSupportRatio: number, gapSeconds: number, { quality: numbers }: PolicyNumbers): MarketRead['quality'] {
  const gapShare = round6(Math.min(1, gapSeconds / numbers.gap_full_seconds));
  const score = roundHalfEven(100 * sourceSupportRatio * (1 - numbers.gap_weight * gapShare));
  return { score, qualityClass: score >= numbers.strong_from ? 'strong' : score >= numbers.usable_from ? 'usable' : 'limited' };
}

interface ConfidenceInput {
  readonly sourceSupportRatio: number;
  readonly margin: number;
  readonly sampleTotal: number;
  readonly freshnessMs: number | null;
  readonly bookStalenessMs: number;
  readonly evidence: number;
}

/**
 * confidence score, 0 to 1, 6 decimals: source_support_ratio × (0.3 + 0.2 × min(1, margin / 0.2) + 0.2 × min(1,
 * sample_event_total / 180) + 0.1 × fresh + 0.2 × evidence). fresh is 1 up to 1,000 ms, falls linearly to 0 at the
 * book's staleness limit, and is 0 without a book. Samples over the session, evidence over 180 s. Measures how well a
 * packet is supported, not a probability. Source: ours.
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

/** `low` below 0.4, `medium` below 0.7, else `high`. Source: ours. */
export function confidenceLabel(score: number, numbers: PolicyNumbers['confidence']): 'low' | 'medium' | 'high' {
  if (score >= numbers.high_from) return 'high';
  return score >= numbers.medium_from ? 'medium' : 'low';
}

function freshShare({ freshnessMs, bookStalenessMs }: ConfidenceInput, numbers: PolicyNumbers['confidence']): number {
  if (freshnessMs === null) return 0;
  if (freshnessMs <= numbers.fresh_full_ms) return 1;
  return round6(clamp((bookStalenessMs - freshnessMs) / (bookStalenessMs - numbers.fresh_full_ms), 0, 1));
}

/**
 * novelty_score, 0 to 1, 6 decimals: 1 − mean Jaccard similarity (|A ∩ B| / |A ∪ B|) of this packet's counted tags with
 * those of up to 30 earlier packets, oldest first; 1 without any. Two empty sets are identical. Source: the coefficient
 * of community (P. Jaccard, 1901); the mean over packets is ours.
 */
export function novelty(tags: readonly string[], earlier: Iterable<readonly string[]>): number {
  const current = new Set(tags);
  let total = 0;
  let sum = 0;
  for (const other of earlier) {
    total++;
    sum += similarity(current, other);
  }
  return total === 0 ? 1 : round6(1 - sum / total);
}

function similarity(current: ReadonlySet<string>, other: readonly string[]): number {
  const shared = other.filter((tag) => current.has(tag)).length;
  const union = current.size + other.length - shared;
  return union === 0 ? 1 : shared / union;
}

/**
 * contradiction_score, 0 to 1, 6 decimals: min(1, 0.6 × min(P̂, F̂) if book and flow lean to opposite sides, + 0.2 if
 * liquidation pressure opposes flow, + 0.2 × (1 − source_support_ratio)). Source: ours.
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
