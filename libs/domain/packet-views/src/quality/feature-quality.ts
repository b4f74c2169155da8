import { COMPOSITES, type Packet } from '@market-state/labeler';
import type { Definitions } from '../definitions/definitions';
import { calibrationView } from '../evidence/calibration-view';
import { featureViews } from '../scores/feature-view';
import { featureFamilyViews, sourceFamilyViews } from '../sources/family-status';

/** What each source family and each feature of a packet rests on: present, stale or missing, and why. */
export function featureQuality(packet: Packet, definitions: Definitions) {
  const features = featureViews(packet, definitions);
  const totalOf = (state: (typeof features)[number]['state']) => features.filter((feature) => feature.state === state).length;
  const { quality_class, quality_score, source_support_ratio, gap_flags, gap_seconds } = packet.packet_quality;
  return {
    source_quality_class: packet.source_quality_class,
    source_support_ratio,
    quality_class,
    quality_score,
    feature_totals: {
      feature_total: features.length,
      observed_total: totalOf('observed'),
      missing_total: totalOf('missing'),
      nothing_to_measure_total: totalOf('nothing_to_measure'),
      not_measurable_yet_total: totalOf('not_measurable_yet'),
    },
    source_families: sourceFamilyViews(packet, definitions),
    feature_families: featureFamilyViews(packet, definitions),
    features,
    scores: COMPOSITES.map((name) => {
      const { score, level } = packet.state_decision_trace.composites[name];
      return { composite: name, label: definitions.label('drivers', name), available: score !== null, level };
    }),
    calibration: calibrationView(packet, definitions),
    gap_flags,
    gap_seconds,
    gaps: packet.source_resolution.gaps,
  };
}
