import { COMPOSITES, type CompositeName, type Packet } from '@market-state/labeler';
import type { Definitions } from '../definitions/definitions';
import { scoreSentence } from './composite-view';
import { calibrationView, counterevidenceOf } from '../evidence/evidence-view';
import { sourceQualityView } from '../family-status';

/** Context of a derived read: class, counterevidence, sources and calibration. */
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

type Level = Packet['state_decision_trace']['composites'][CompositeName]['level'];

const GROUPS: readonly { readonly words: string; readonly levels: readonly Level[] }[] = [
  { words: 'elevated', levels: ['elevated'] },
  { words: 'on watch', levels: ['watch'] },
  { words: 'just below watch', levels: ['near_watch'] },
  { words: 'quiet', levels: ['below_watch'] },
  { words: 'from retained context only', levels: ['not_current'] },
  { words: 'unknown', levels: ['no_source', 'not_available'] },
];

function overview(packet: Packet, { label }: Definitions): string {
  const { composites } = packet.state_decision_trace;
  const parts = GROUPS.flatMap(({ words, levels }) => {
    const names = COMPOSITES.filter((name) => levels.includes(composites[name].level));
    return names.length === 0 ? [] : [`${names.length} ${words} (${names.map((name) => label('drivers', name)).join(', ')})`];
  });
  return `Of the ${COMPOSITES.length} scores: ${parts.join('; ')}.`;
}

export function buyerSummary(packet: Packet, definitions: Definitions) {
  const { client_readout: readout, client_reason_summary: reasons } = packet;
  const { composites } = packet.state_decision_trace;
  return {
    headline: readout.headline,
    read: readout.read,
    overview: overview(packet, definitions),
    scores: COMPOSITES.map((name) => {
      const { score, norm, side, level, watch, elevated } = composites[name];
      return {
        composite: name,
        label: definitions.label('drivers', name),
        sentence: scoreSentence(packet, name, definitions),
        score,
        norm,
        side,
        level,
        watch,
        elevated,
      };
    }),
    what_changed: reasons.what_changed,
    why_now: reasons.why_now,
    invalidation_conditions: reasons.invalidation_conditions,
    next_check: reasons.next_check,
    support: readout.support,
  };
}
