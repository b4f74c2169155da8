import type { Packet } from '@market-state/labeler';
import type { Definitions } from '../definitions/definitions';
import { calibrationView } from '../evidence/calibration-view';
import { counterevidenceOf } from '../evidence/evidence-view';
import { sourceQualityView } from '../family-status';

/** What accompanies the scores of a derived read: the packet's class, what speaks against it, sources and calibration. */
export function derivedRead(packet: Packet, definitions: Definitions) {
  return {
    state: packet.state,
    state_label: packet.state_label,
    event_class: packet.event_class,
    event_profile: packet.event_profile,
    event_severity: packet.event_severity,
    confidence: { label: packet.confidence.label, score: packet.confidence.score },
    counterevidence: counterevidenceOf(packet),
    source_quality: sourceQualityView(packet, definitions),
    calibration: calibrationView(packet, definitions),
  };
}
