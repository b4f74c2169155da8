import { round6 } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import { COMPOSITES, type CompositeName, type CompositeRead, type MarketRead, type SeverityBounds, type SeverityClass } from '../read';
import { clamp } from '../numbers/mean';
import { nearestRank } from '../numbers/rank';

export function defaultSeverityBounds({ severity }: PolicyNumbers): SeverityBounds {
  return { elevated: severity.elevated_from, high: severity.high_from, critical: severity.critical_from, source: 'policy_default' };
}

/**
 * Severity bounds for the packet at T: the policy's until the session has 180 scores; then its q60, q88 and q98
 * (nearest rank), each clamped to 0.7..1.3 × the default and at least 0.05 above the previous one. Updated at each T
 * that is a multiple of 300 s, if there is a score. `readScores`: scores (0 to 1, 6 decimals) of session packets in
 * which no source state won. Source: ours, over nearest-rank quantiles (see `nearestRank`).
 */
export function severityBounds(
  previous: SeverityBounds,
  readScores: () => readonly number[],
  windowEndMs: number,
  numbers: PolicyNumbers,
): SeverityBounds {
  const { severity } = numbers;
  const calibrated = previous.source !== 'policy_default';
  if (calibrated && windowEndMs % severity.refresh_ms !== 0) return previous;
  const scores = readScores();
  if (scores.length < (calibrated ? 1 : severity.sample_minimum)) return previous;
  const near = (quantile: number, standard: number) =>
    round6(clamp(nearestRank(scores, quantile), severity.clamp_low * standard, severity.clamp_high * standard));
  const elevated = near(severity.elevated_quantile, severity.elevated_from);
  const high = Math.max(near(severity.high_quantile, severity.high_from), round6(elevated + severity.bound_gap));
  const critical = Math.max(near(severity.critical_quantile, severity.critical_from), round6(high + severity.bound_gap));
  return { elevated, high, critical, source: 'symbol_rolling_quantile' };
}

interface SeverityInput {
  readonly movementBps: number | null;
  readonly composites: Readonly<Record<CompositeName, CompositeRead>>;
  readonly sourceState: boolean;
  readonly bounds: SeverityBounds;
}

/**
 * event_severity, 0 to 1, 6 decimals, over the last 180 s: 0.7 × M / (M + 20) + 0.3 × S, with M = movement_bps (0 if
 * unknown) and S the largest X / (X + watch) of the six composites, so it rises smoothly with either. 0 with an empty
 * basis if a source state wins. Basis: `movement` from 20 bps, then the held composites in table order. Source: ours.
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

function watchShare({ score, watch }: CompositeRead): number {
  return round6(score / (score + watch));
}

function severityClass(score: number, { critical, high, elevated }: SeverityBounds): SeverityClass {
  if (score >= critical) return 'critical_context';
  if (score >= high) return 'high_context';
  return score >= elevated ? 'elevated_context' : 'routine_context';
}
