import type { MarketRead, ThresholdRead } from '../read';
import { nearestThreshold } from './decision-reads';

/** A threshold that its value has crossed, or is within the near ratio below. */
export interface CrossedThreshold {
  readonly feature_id: string;
  readonly threshold: number;
  readonly value: number;
  /** Value less threshold. */
  readonly distance: number;
  readonly crossed: boolean;
  readonly crossing_class: 'crossed' | 'near_threshold';
}

export interface ThresholdCrossings {
  readonly crossed_total: number;
  readonly near_threshold_total: number;
  /** The threshold closest to its value among composites with a source. */
  readonly nearest: Pick<CrossedThreshold, 'feature_id' | 'distance'> | null;
}

/** Crossed and near thresholds in table order; others are not listed. */
export function crossedThresholds(read: MarketRead): readonly CrossedThreshold[] {
  return read.thresholds.flatMap(({ featureId, threshold, value, distance, crossingClass }) =>
    crossingClass === 'below'
      ? []
      : [{ feature_id: featureId, threshold, value, distance, crossed: crossingClass === 'crossed', crossing_class: crossingClass }],
  );
}

export function thresholdCrossings(read: MarketRead): ThresholdCrossings {
  const totalOf = (crossingClass: ThresholdRead['crossingClass']) =>
    read.thresholds.filter((threshold) => threshold.crossingClass === crossingClass).length;
  const nearest = nearestThreshold(read);
  return {
    crossed_total: totalOf('crossed'),
    near_threshold_total: totalOf('near_threshold'),
    nearest: nearest === null ? null : { feature_id: nearest.featureId, distance: nearest.distance },
  };
}
