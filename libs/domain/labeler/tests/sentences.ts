import type { Packet } from '../src/packet/packet';
import { without } from './without';

/** Every sentence that a packet holds. */
export function sentencesOf(packet: Packet): readonly string[] {
  return [
    ...packet.reasons,
    ...Object.values(without(packet.client_reason_summary, 'claim_boundary')).flat(),
    ...Object.values(packet.client_readout),
    ...packet.compute_lanes.flatMap((lane) => lane.reasons),
    packet.state_diagnosis.buyer_use,
    packet.route_guidance.route_reason,
  ];
}

/** The numbers printed in a sentence. */
export function numbersIn(sentence: string): readonly number[] {
  return [...sentence.matchAll(/(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?/g)].map(([text]) => Number(text));
}
