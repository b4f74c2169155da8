import { COMPOSITES, type Packet } from '@market-state/labeler';
import type { Definitions } from '../definitions/definitions';
import { calibrationView } from '../evidence/calibration-view';
import { featureViews } from '../scores/feature-view';
import { featureFamilyViews, sourceQualityView } from '../sources/family-status';

/** What each source family and each feature of a packet rests on: present, stale or missing, and why. */
export function featureQuality(packet: Packet, definitions: Definitions) {
  const features = featureViews(packet, definitions);
  const totalOf = (state: (typeof features)[number]['state']) => features.filter((feature) => feature.state === state).length;
  return {
    ...sourceQualityView(packet, definitions),
    feature_totals: {
      feature_total: features.length,
      observed_total: totalOf('observed'),
      missing_total: totalOf('missing'),
      nothing_to_measure_total: totalOf('nothing_to_measure'),
      not_measurable_yet_total: totalOf('not_measurable_yet'),
    },
    feature_families: featureFamilyViews(packet, definitions),
    features,
    scores: COMPOSITES.map((name) => {
      const { score, level } = packet.state_decision_trace.composites[name];
      return { composite: name, label: definitions.label('drivers', name), available: score !== null, level };
    }),
    calibration: calibrationView(packet, definitions),
    gaps: packet.source_resolution.gaps,
  };
}
