import { COMPOSITES, type CompositeName, type Packet, round6 } from '@market-state/labeler';
import type { Definitions } from '../definitions';

type CrossingClass = 'crossed' | 'near_threshold' | 'below';

interface ThresholdView {
  readonly feature_id: string;
  readonly composite: CompositeName;
  readonly level: 'watch' | 'elevated';
  readonly threshold: number;
  /** Null if the composite cannot be read; distance and class are then null too. */
  readonly value: number | null;
  readonly distance: number | null;
  readonly crossing_class: CrossingClass | null;
  readonly source: Packet['calibration_context']['threshold_source'];
  /** Session quantile used as the threshold, within bounds; null for a policy default. */
  readonly quantile: number | null;
  readonly policy_default: number;
}

function crossingClass(packet: Packet, featureId: string): CrossingClass {
  const met = packet.state_diagnosis.crossed_thresholds.find(({ feature_id: id }) => id === featureId);
  return met?.crossing_class ?? 'below';
}

export function thresholdsOf(packet: Packet, composite: CompositeName, { composites, numbers }: Definitions): ThresholdView[] {
  const trace = packet.state_decision_trace.composites[composite];
  const ownQuantiles = composites[composite].calibrated && !packet.calibration_context.live_during_calibration;
  const { watch_quantile, elevated_quantile } = numbers.calibration;
  const levels = [
    { level: 'watch' as const, quantile: watch_quantile },
    { level: 'elevated' as const, quantile: elevated_quantile },
  ];
  return levels.map(({ level, quantile }) => {
    const featureId = `${composite}_${level}`;
    return {
      feature_id: featureId,
      composite,
      level,
      threshold: trace[level],
      value: trace.score,
      distance: trace.score === null ? null : round6(trace.score - trace[level]),
      crossing_class: trace.score === null ? null : crossingClass(packet, featureId),
      source: ownQuantiles ? packet.calibration_context.threshold_source : 'policy_default',
      quantile: ownQuantiles ? quantile : null,
      policy_default: numbers.thresholds[composite][level],
    };
  });
}

export function thresholdViews(packet: Packet, definitions: Definitions): ThresholdView[] {
  return COMPOSITES.flatMap((composite) => thresholdsOf(packet, composite, definitions));
}
