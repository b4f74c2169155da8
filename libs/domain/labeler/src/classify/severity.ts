import { round6 } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import { COMPOSITES, type CompositeName, type CompositeRead, type MarketRead, type SeverityBounds, type SeverityClass } from '../read';

/** What severity reads. */
export interface SeverityInput {
  /** Null when the book family is missing. */
  readonly movementBps: number | null;
  readonly composites: Readonly<Record<CompositeName, CompositeRead>>;
  /** A source state wins: nothing current is read, so nothing is severe. */
  readonly sourceState: boolean;
  readonly bounds: SeverityBounds;
}

/**
 * event_severity, 0..1: 0.7 × M / (M + 20) + 0.3 × S, M being movement_bps (0 while it is not known) and S the largest X / (X + watch) of
 * the six composites; it rises smoothly with either. 0 with an empty basis where a source state wins. Basis: `movement` from 20 bps on,
 * then the composites held in table order. No unit, 6 decimals; of the last 180 s. Source: ours.
 */
export function severity(input: SeverityInput, { severity: numbers }: PolicyNumbers): MarketRead['severity'] {
  const { movementBps, composites, sourceState, bounds } = input;
  const movement = movementBps ?? 0;
  const movementShare = round6(movement / (movement + numbers.movement_half_bps));
  const strongestShare = Math.max(...COMPOSITES.map((name) => watchShare(composites[name])));
  const score = sourceState ? 0 : round6(numbers.movement_weight * movementShare + numbers.strongest_weight * strongestShare);
  const held = COMPOSITES.filter((name) => composites[name].held);
  return {
    score,
    severityClass: sourceState ? 'routine_context' : severityClass(score, bounds),
    basis: sourceState ? [] : movement >= numbers.movement_half_bps ? ['movement', ...held] : held,
    movementShare: movementBps === null ? null : movementShare,
    strongestShare,
    bounds,
  };
}

/** X / (X + watch): one half at watch, under one however strong. */
function watchShare({ score, watch }: CompositeRead): number {
  return round6(score / (score + watch));
}

function severityClass(score: number, { critical, high, elevated }: SeverityBounds): SeverityClass {
  if (score >= critical) return 'critical_context';
  if (score >= high) return 'high_context';
  return score >= elevated ? 'elevated_context' : 'routine_context';
}
