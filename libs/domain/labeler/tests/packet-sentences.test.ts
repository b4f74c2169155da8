import { marketFacts } from '../src/packet/market-facts';
import { packetFacts, type Packet } from '../src/packet/packet';
import { fieldValue } from './facts-of-packet';
import { policy } from './packet-read';
import { recordingPackets } from './recording-packets';
import { repeatedSentences, sentencesByPlace, sentencesOf, sentencesOfFields, unitFaults } from './sentences';
import { syntheticPackets, syntheticReads } from './synthetic-packets';

const synthetic = syntheticPackets();
const packets: readonly Packet[] = [
  ...recordingPackets('BTCUSD-PERP', 2).map(({ packet }) => packet),
  ...recordingPackets('ETHUSD-PERP').map(({ packet }) => packet),
  ...Object.values(synthetic),
];

test('every sentence is what the policy makes of the fields of its packet', () => {
  for (const packet of packets) expect([packet.ts, sentencesByPlace(packet)]).toEqual([packet.ts, sentencesOfFields(packet)]);
});

test('every sentence is in the units of people', () => {
  expect(packets.flatMap((packet) => sentencesOf(packet).flatMap(unitFaults))).toEqual([]);
});

test('no packet says a sentence twice, and reasons are named elsewhere by their ids', () => {
  for (const packet of packets) {
    expect([packet.ts, repeatedSentences(packet)]).toEqual([packet.ts, []]);
    const ids = packet.reason_details.map(({ reason_id: id }) => id);
    const against = packet.reason_details.filter(({ stance }) => stance === 'weighs_against').map(({ reason_id: id }) => id);
    expect(packet.reasons).toEqual(ids);
    expect(packet.client_reason_summary.counterevidence).toEqual(against.length === 0 ? ['nothing_against'] : against);
  }
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

test('a sentence ends in a full stop and begins with a capital', () => {
  for (const packet of packets) expect(sentencesOf(packet).filter((sentence) => !/^[A-Z].*\.$/s.test(sentence))).toEqual([]);
});

test('every packet shows what speaks against it, what would end it and what to check', () => {
  for (const { client_reason_summary: summary } of packets) {
    expect(summary.counterevidence.length).toBeGreaterThan(0);
    expect(summary.invalidation_conditions.length).toBeGreaterThan(0);
    expect(summary.next_check).not.toBe('');
    expect(summary.why_now).not.toBe('');
  }
});
