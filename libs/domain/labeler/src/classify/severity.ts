import { round6 } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import { COMPOSITES, type CompositeName, type CompositeRead, type MarketRead, type SeverityClass } from '../read';

/**
 * event_severity, 0..1: max(P̂, F̂, Q̂, Ĉ, L̂, R̂) × (0.7 + 0.3 × share of the six at or above watch). Basis: the composites at or above
 * watch in table order; with none, the highest one if it is above 0. Bands: `elevated_context` from 0.50, `high_context` from 0.70,
 * `critical_context` from 0.85, else `routine_context`. No unit, 6 decimals; of one packet. Source: ours.
 */
export function severity(
  composites: Readonly<Record<CompositeName, CompositeRead>>,
  { severity: numbers }: PolicyNumbers,
): MarketRead['severity'] {
  const norms = COMPOSITES.map((name) => composites[name].norm);
  const highest = Math.max(...norms);
  const watched = COMPOSITES.filter((name) => composites[name].score >= composites[name].watch);
  const share = round6(watched.length / COMPOSITES.length);
  const score = round6(highest * (numbers.base_weight + numbers.breadth_weight * share));
  const leading = COMPOSITES.filter((_, index) => highest > 0 && norms[index] === highest).slice(0, 1);
  return { score, severityClass: severityClass(score, numbers), basis: watched.length > 0 ? watched : leading };
}

function severityClass(score: number, numbers: PolicyNumbers['severity']): SeverityClass {
  if (score >= numbers.critical_from) return 'critical_context';
  if (score >= numbers.high_from) return 'high_context';
  if (score >= numbers.elevated_from) return 'elevated_context';
  return 'routine_context';
}
