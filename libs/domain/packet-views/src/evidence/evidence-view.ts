import type { Packet } from '@market-state/labeler';
import type { Definitions } from '../definitions/definitions';
import { compositeViews } from '../scores/composite-view';
import { featureViews } from '../scores/feature-view';
import { thresholdViews } from '../scores/threshold-views';
import { featureFamilyViews, sourceQualityView } from '../sources/family-status';
import { calibrationView } from './calibration-view';
import { candidateViews } from './candidate-views';
import { counterevidenceOf } from './claims';
import { decisionView } from './decision-view';
import { reasonViews } from './reason-views';

/** The evidence within a packet: everything but the rows and the row around it. */
export function evidenceView(packet: Packet, definitions: Definitions) {
  return {
    state: packet.state,
    state_label: packet.state_label,
    event_class: packet.event_class,
    event_profile: packet.event_profile,
    event_severity: packet.event_severity,
    confidence: packet.confidence,
    reference_prices: packet.reference_prices,
    decision: decisionView(packet, definitions),
    candidates: candidateViews(packet, definitions),
    features: featureViews(packet, definitions),
    composites: compositeViews(packet, definitions),
    thresholds: thresholdViews(packet, definitions),
    calibration: calibrationView(packet, definitions),
    reasons: reasonViews(packet),
    counterevidence: counterevidenceOf(packet),
    contradiction: { score: packet.contradiction_score, terms: packet.packet_quality.contradiction_terms },
    source_quality: sourceQualityView(packet, definitions),
    feature_families: featureFamilyViews(packet, definitions),
    gaps: packet.source_resolution.gaps,
    late_event_total: packet.source_resolution.late_event_total,
    policy: {
      policy_digest: packet.policy_digest,
      definitions_policy_digest: definitions.policyDigest,
      labeling_policy_version: packet.labeling_policy_version,
      reason_template_version: packet.reason_template_version,
      taxonomy_version: packet.taxonomy_version,
      confidence_policy_version: packet.confidence_policy_version,
      trace_version: packet.trace_version,
    },
  };
}
