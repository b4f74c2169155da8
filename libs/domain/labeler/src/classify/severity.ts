import { movementShare, thinShare, type NearDepth } from '../features/ranges';
import { round6 } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import {
  COMPOSITES,
  type CompositeName,
  type CompositeRead,
  type MarketRead,
  type RangeMeans,
  type SeverityBounds,
  type SeverityClass,
} from '../read';

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
