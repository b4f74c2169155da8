import type { Packet } from '../src/packet/packet';
import { factsOfLane, factsOfPacket } from './facts-of-packet';
import { policy } from './packet-read';

export function sentencesByPlace(packet: Packet): Readonly<Record<string, string>> {
  const { client_reason_summary: summary, client_readout: readout } = packet;
  return Object.fromEntries([
    ...packet.reason_details.map(({ reason_id: id, claim }) => [`reason ${id}`, claim] as const),
    ...Object.entries(readout).map(([name, sentence]) => [`readout ${name}`, sentence] as const),
    ['what_changed', summary.what_changed],
    ['why_now', summary.why_now],
    ['next_check', summary.next_check],
    ...summary.invalidation_conditions.map((sentence, i) => [`invalidation ${i}`, sentence] as const),
    ...packet.compute_lanes.flatMap((lane) => lane.reasons.map((sentence, i) => [`lane ${lane.lane_id} ${i}`, sentence] as const)),
    ['buyer_use', packet.state_diagnosis.buyer_use],
    ['route_reason', packet.route_guidance.route_reason],
  ]);
}

export function sentencesOf(packet: Packet): readonly string[] {
  return Object.values(sentencesByPlace(packet));
}

/** Sentences that the policy renders from the packet's fields. */
export function sentencesOfFields(packet: Packet): Readonly<Record<string, string>> {
  const facts = factsOfPacket(packet);
  const { texts } = policy;
  const claims = policy.reasons.flatMap((reason) => {
    const claim = reason.test(facts) ? reason.claim.render(facts) : null;
    return claim === null ? [] : [[`reason ${reason.reasonId}`, claim] as const];
  });
  const weighs = packet.reason_details.some(({ stance }) => stance === 'weighs_against');
  return Object.fromEntries([
    ...(weighs ? claims.slice(0, -1) : claims),
    ['readout headline', texts.headline.first(facts)],
    ['readout read', texts.readout.first(facts)],
    ['readout support', texts.support.first(facts)],
    ['readout next_step', texts.next_step.first(facts)],
    ['what_changed', texts.what_changed.every(facts).join(' ')],
    ['why_now', texts.why_now.first(facts)],
    ['next_check', texts.next_check.first(facts)],
    ...texts.invalidation.every(facts).map((sentence, i) => [`invalidation ${i}`, sentence] as const),
    ...packet.compute_lanes.flatMap((lane) => {
      const entry = policy.lanes.find((other) => other.entry.lane_id === lane.lane_id);
      return (entry?.claims.every(factsOfLane(lane)) ?? []).map((sentence, i) => [`lane ${lane.lane_id} ${i}`, sentence] as const);
    }),
    ['buyer_use', texts.buyer_use.first(facts)],
    ['route_reason', texts.route_reason.first(facts)],
  ]);
}

/** Non-human units in a sentence: milliseconds, or more decimals than needed to distinguish two numbers. */
export function unitFaults(sentence: string): readonly string[] {
  const ms = /\d ms\b|milliseconds/.test(sentence) ? [`milliseconds in: ${sentence}`] : [];
  const numbers = [...sentence.matchAll(/(?<![\w.])-?\d+(?:\.\d+)?(?! ?(?:bps|%))(?!\d|\.\d)/g)].map(([text]) => text);
  const long = numbers.filter((text) => (text.split('.')[1] ?? '').length > 2);
  const needless = long.filter((text) => !numbers.some((other) => other !== text && Math.abs(Number(other) - Number(text)) < 0.011));
  return [...ms, ...needless.map((text) => `${text} in: ${sentence}`)];
}

/** Sentences that occur more than once in a body. */
export function repeatedSentences(body: unknown): readonly string[] {
  const seen = new Map<string, number>();
  for (const text of textsOf(body)) if (/ .*\.$/s.test(text)) seen.set(text, (seen.get(text) ?? 0) + 1);
  return [...seen].flatMap(([text, times]) => (times > 1 ? [text] : []));
}

function* textsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) yield* textsOf(member);
}
