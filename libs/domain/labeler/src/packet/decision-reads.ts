import type { MarketRead, ThresholdRead } from '../read';

/** The threshold closest to its value among composites that have a source; the earlier one on a tie. Null without any. */
export function nearestThreshold(read: MarketRead): ThresholdRead | null {
  let nearest: ThresholdRead | null = null;
  for (const threshold of read.thresholds) {
    if (!read.composites[threshold.composite].available) continue;
    if (nearest === null || Math.abs(threshold.distance) < Math.abs(nearest.distance)) nearest = threshold;
  }
  return nearest;
}
