import { marketFacts } from '../src/packet/market-facts';
import { packetFacts } from '../src/packet/packet-facts';
import type { Packet } from '../src/packet/packet';
import { leavesOf } from './leaves';
import { policy } from './packet-read';
import { recordingPackets } from './recording-packets';
import { numbersIn, sentencesOf } from './sentences';
import { syntheticPackets, syntheticReads } from './synthetic-packets';
import { valuesAt } from './walk-contract';

const synthetic = syntheticPackets();
const packets: readonly Packet[] = [
  ...recordingPackets('BTCUSD-PERP', 2).map(({ packet }) => packet),
  ...recordingPackets('ETHUSD-PERP').map(({ packet }) => packet),
  ...Object.values(synthetic),
];

test('every number in every sentence of every packet is a number of that packet', () => {
  const strays = packets.flatMap((packet) => {
    const known = new Set([...leavesOf(packet)].map(([, leaf]) => leaf));
    return sentencesOf(packet).flatMap((sentence) =>
      numbersIn(sentence)
        .filter((value) => !known.has(value))
        .map((value) => `${value} in: ${sentence}`),
    );
  });
  expect(strays).toEqual([]);
});

test('every number of a reason equals the packet field that facts.json names for it', () => {
  const fieldOf = new Map(policy.facts.map((fact) => [fact.name, fact.packet_field ?? '']));
  const strays = packets.flatMap((packet) =>
    packet.reason_details.flatMap((reason) =>
      Object.entries(reason.numbers)
        .filter(([name, value]) => fieldValue(packet, fieldOf.get(name) ?? '') !== value)
        .map(([name]) => `${reason.reason_id}: ${name}`),
    ),
  );
  expect(strays).toEqual([]);
});

test('every fact that names a packet field equals it, and every declared fact is made', () => {
  for (const [name, read] of Object.entries(syntheticReads())) {
    const packet = synthetic[name];
    const { facts } = packetFacts(read, policy, marketFacts(read, policy));
    const declared = policy.facts.filter((fact) => fact.stage !== 'lane');
    expect(Object.keys(facts).sort()).toEqual(declared.map((fact) => fact.name).sort());
    for (const fact of declared) {
      const held = fact.packet_field === undefined ? undefined : fieldValue(packet, fact.packet_field);
      if (fact.packet_field !== undefined) expect([name, fact.name, facts[fact.name] ?? null]).toEqual([name, fact.name, held ?? null]);
    }
  }
});

test('no sentence has a place left open', () => {
  expect(packets.flatMap(sentencesOf).filter((sentence) => /[{}]|undefined|null|NaN|\ba ask\b/.test(sentence))).toEqual([]);
});

test('a sentence ends in a full stop, begins with a capital, and no packet says a sentence twice in its reasons', () => {
  for (const packet of packets) {
    expect(sentencesOf(packet).filter((sentence) => !/^[A-Z].*\.$/s.test(sentence))).toEqual([]);
    expect(new Set(packet.reasons).size).toBe(packet.reasons.length);
  }
});

test('every packet shows what speaks against it, what would end it and what to check', () => {
  for (const { client_reason_summary: summary } of packets) {
    expect(summary.counterevidence.length).toBeGreaterThan(0);
    expect(summary.invalidation_conditions.length).toBeGreaterThan(0);
    expect(summary.next_check).not.toBe('');
    expect(summary.why_now).not.toBe('');
  }
});

/** A reason's numbers point into the packet, or with `lane:` into one compute lane. */
function fieldValue(packet: unknown, field: string): unknown {
  const lane = /^lane:([a-z_]+)\.(.*)$/.exec(field);
  if (lane === null) return valuesAt(packet, field)[0];
  const found = valuesAt(packet, 'compute_lanes[]').find((value) => (value as { lane_id: string }).lane_id === lane[1]);
  return found === undefined ? undefined : valuesAt(found, lane[2] ?? '')[0];
}
