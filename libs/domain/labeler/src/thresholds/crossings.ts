import { round6 } from '../numbers/round';
import { COMPOSITES, type CompositeName, type ThresholdRead } from '../read';
import type { ThresholdPairs } from './calibration';

/**
 * The twelve thresholds in table order, each with its distance (value − threshold) and class: `crossed` at or above it,
 * `near_threshold` at or above 0.9 of it, else `below`. Values and thresholds are scores, 0..1; distances −1..1, 6 decimals; at T. Source:
 * ours.
 */
export function readThresholds(
  scores: Readonly<Record<CompositeName, number>>,
  pairs: ThresholdPairs,
  nearRatio: number,
): readonly ThresholdRead[] {
  return COMPOSITES.flatMap((composite) =>
    (['watch', 'elevated'] as const).map((level): ThresholdRead => {
      const threshold = pairs[composite][level];
      const value = scores[composite];
      return {
        featureId: `${composite}_${level}`,
        composite,
        level,
        threshold,
        value,
        distance: round6(value - threshold),
        crossingClass: value >= threshold ? 'crossed' : value >= round6(nearRatio * threshold) ? 'near_threshold' : 'below',
      };
    }),
  );
}
