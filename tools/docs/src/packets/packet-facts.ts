import type { Packet } from '@market-state/labeler';
import { duration } from '@market-state/packet-figures';
import { capital, labelOf, POLICY } from './figure-words';
import { numberText } from './number-text';

const { packet_interval_ms: INTERVAL_MS } = POLICY.numbers.windows;

/** What a packet says besides its scores: name and value, in the order of the figure. */
export function packetFacts(packet: Packet): readonly (readonly [name: string, value: string])[] {
  const { state_decision_trace: trace, event_severity: severity, packet_quality: quality } = packet;
  const { price_move_bps: move } = trace.imbalances;
  const bound = trace.absorption_bound_bps;
  return [
    ['Event class', labelOf('event_classes', packet.event_class)],
    ['Market read', labelOf('directions', packet.market_read_direction)],
    ['Mid over one minute', move === null ? 'not measurable' : `${numberText(move)} bps`],
    ['Absorption bound', bound === null ? 'no book' : `${numberText(bound)} bps`],
    ['Range over three minutes', severity.movement_bps === null ? 'no book' : `${numberText(severity.movement_bps)} bps`],
    ['Contradiction', numberText(packet.contradiction_score)],
    ['Source support', numberText(quality.source_support_ratio)],
    ['Gap flags', quality.gap_flags.map((flag) => labelOf('gap_flags', flag)).join(', ') || 'none'],
  ];
}

/** The published state against the raw winner: `Raw winner: Pressure building, by 0.206 over Flow shift watch.` */
export function winnerWords({ state_decision_trace: trace, state, state_age_packets: age }: Packet): string {
  const margin = `by ${numberText(trace.state_margin)} over ${labelOf('states', trace.runner_up_state)}`;
  const kept = `Published for ${duration(age * INTERVAL_MS)}.`;
  if (trace.winner_state === state) return `It is the raw winner, ${margin}. ${kept}`;
  return `Raw winner: ${labelOf('states', trace.winner_state)}, ${margin}. ${kept}`;
}

/** `0.592 elevated context` */
export function severityWords({ event_severity: { score, severity_class: severityClass } }: Packet): string {
  return `${numberText(score)} ${labelOf('severity_classes', severityClass)}`;
}

/** From which score on each severity class holds, and whose bounds they are. */
export function boundsWords({ event_severity: { bounds } }: Packet): string {
  const whose = labelOf('threshold_sources', bounds.source);
  return `Elevated from ${numberText(bounds.elevated)}, high from ${numberText(bounds.high)}, critical from ${numberText(bounds.critical)}: ${whose}.`;
}

/** `0.496 medium` */
export function confidenceWords({ confidence: { score, label } }: Packet): string {
  return `${numberText(score)} ${labelOf('confidence_labels', label)}`;
}

/** From which score on confidence is medium and high, and its parts, each 0 to 1. */
export function confidenceParts({ confidence: { terms } }: Packet): string {
  const { medium_from: medium, high_from: high } = POLICY.numbers.confidence;
  const parts = Object.entries(PARTS).map(([name, label]) => `${label} ${numberText(terms[name] ?? 0)}`);
  return `Medium from ${medium}, high from ${high}. ${capital(parts.join(', '))}.`;
}

const PARTS: Readonly<Record<string, string>> = {
  source_support_ratio: 'sources',
  margin_share: 'margin',
  sample_share: 'samples',
  fresh_share: 'freshness',
  evidence_share: 'books and trades',
};

/** The claims that weigh against the read; one sentence where none does. */
export function counterevidence({ reason_details: reasons, client_reason_summary: summary }: Packet): readonly string[] {
  return reasons.filter(({ reason_id: id }) => summary.counterevidence.includes(id)).map(({ claim }) => claim);
}
