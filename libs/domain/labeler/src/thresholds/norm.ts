import { round6 } from '../numbers/round';

/** A watch threshold and the elevated one above it. */
export interface ThresholdPair {
  readonly watch: number;
  readonly elevated: number;
}

/**
 * X̂, a score against its thresholds: 0.5 × x / w below w; 0.5 + 0.5 × (x − w) / (e − w) up to e; 1 beyond. 0..1, no unit, 6 decimals; 0.5
 * at watch, 1 at elevated. Source: ours, a piecewise-linear scale, so that scores with different thresholds compare.
 */
export function norm(value: number, { watch, elevated }: ThresholdPair): number {
  if (value < watch) return round6((0.5 * value) / watch);
  if (value <= elevated) return round6(0.5 + (0.5 * (value - watch)) / (elevated - watch));
  return 1;
}
