import { clamp } from '../numbers/mean';
import { nearestRank } from '../numbers/rank';
import { round6 } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import type { SeverityBounds } from '../read';

/** The policy's bounds, in force until the session holds samples enough. */
export function defaultSeverityBounds({ severity }: PolicyNumbers): SeverityBounds {
  return { elevated: severity.elevated_from, high: severity.high_from, critical: severity.critical_from, source: 'policy_default' };
}

/**
 * The severity bounds for the packet at T: the policy's until the session holds 180 scores; then its q60, q88 and q98 (nearest rank), each
 * clamped to 0.7..1.3 × the default and at least 0.05 above the one before; renewed at each T that is a multiple of 300 s, if there is a
 * score. Scores 0..1, 6 decimals. `readScores`: those of the session's packets in which no source state won. Source: ours, over
 * nearest-rank quantiles (see `nearestRank`).
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
