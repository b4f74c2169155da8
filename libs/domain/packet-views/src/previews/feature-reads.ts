import { COMPOSITES, type CompositeName, type Packet } from '@market-state/labeler';
import type { Definitions } from '../definitions/definitions';
import { thresholdsOf } from '../scores/threshold-views';

/** The tag family of each composite. */
const TAG_FAMILIES: Readonly<Record<CompositeName, string>> = {
  pressure: 'pressure',
  flow: 'flow',
  fragility: 'queue',
  crowding: 'crowding',
  forced_flow: 'forced_flow',
  regime: 'regime',
};

function tagOf(packet: Packet, family: string): string | null {
  return packet.tags.find((tag) => tag.startsWith(`${family}:`)) ?? null;
}

/**
 * For each input class in this packet: the score read from it, its thresholds and its tag. `evidenceRoute` leads to the packet's
 * evidence.
 */
export function featureReads(packet: Packet, definitions: Definitions, evidenceRoute: string | null) {
  return COMPOSITES.map((name, index) => {
    const [family = 'book'] = definitions.composites[name].families;
    const thresholds = thresholdsOf(packet, name, definitions);
    return {
      trace_step: index + 1,
      input_class: family,
      derived_read: definitions.label('drivers', name),
      derived_value: packet.state_decision_trace.composites[name].score,
      packet_field: `state_decision_trace.composites.${name}.score`,
      resulting_tag: tagOf(packet, TAG_FAMILIES[name]),
      threshold_policy: thresholds.map(({ feature_id, threshold }) => `${feature_id} from ${threshold}`).join(', '),
      threshold_source: thresholds[0]?.source ?? 'policy_default',
      level: packet.state_decision_trace.composites[name].level,
      formula: definitions.composites[name].formula,
      evidence_route: evidenceRoute,
    };
  });
}
