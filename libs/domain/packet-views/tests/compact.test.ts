import { gzipSync } from 'node:zlib';
import { COMPOSITES, type Packet } from '@market-state/labeler';
import { compactPacket } from '../src';
import { recordedPackets, simulatedPackets } from './labelled';

const ORDER = [
  'symbol',
  'window_end_utc',
  'mid_price',
  'state',
  'state_label',
  'state_age_packets',
  'session_state',
  'winner_state',
  'runner_up_state',
  'state_margin',
  'event_class',
  'market_read_direction',
  'severity',
  'confidence',
  'headline',
  'one_reason',
  'one_against',
  'next_check',
  'composites',
  'quality_class',
  'gap_flags',
  'response_state',
  'event_id',
  'packet_digest',
  'lineage_digest',
];
const BYTES_MAX = 4_096;
const AROUND = { packetDigest: 'a'.repeat(64), lineageDigest: 'b'.repeat(64), responseState: 'recorded_replay' } as const;

const packets = [...recordedPackets(), ...simulatedPackets('liquidation_cascade', 1.25)].map(({ packet }) => packet);
const inCompact = packets.map((packet) => [packet, compactPacket(packet, AROUND)] as const);

/** Every sentence that a packet holds, wherever it holds it. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

test('a compact packet has its members in the order promised, composites and their members too', () => {
  expect(packets.length).toBeGreaterThan(400);
  for (const [, compact] of inCompact) {
    expect(Object.keys(compact)).toEqual(ORDER);
    expect(Object.keys(compact.composites)).toEqual([...COMPOSITES]);
    for (const composite of Object.values(compact.composites))
      expect(Object.keys(composite)).toEqual(['score', 'norm', 'watch', 'elevated', 'level']);
  }
});

test('a compact packet has the bounds of its class of severity', () => {
  for (const [packet, { severity }] of inCompact) expect(severity.bounds).toEqual(packet.event_severity.bounds);
});

test('no compact packet is longer than 4 kB, and none compressed than 2 kB', () => {
  const bodies = inCompact.map(([, compact]) => Buffer.from(JSON.stringify(compact)));
  expect(Math.max(...bodies.map(({ length }) => length))).toBeLessThanOrEqual(BYTES_MAX);
  expect(Math.max(...bodies.map((body) => gzipSync(body).length))).toBeLessThanOrEqual(BYTES_MAX / 2);
});

test('every value is the packet’s own', () => {
  for (const [packet, compact] of inCompact) {
    expect(compact).toMatchObject({
      symbol: packet.symbol,
      window_end_utc: packet.scope.window_end_utc,
      mid_price: packet.reference_prices.mid_price,
      state: packet.state,
      state_label: packet.state_label,
      state_age_packets: packet.state_age_packets,
      winner_state: packet.state_decision_trace.winner_state,
      runner_up_state: packet.state_decision_trace.runner_up_state,
      state_margin: packet.packet_quality.state_margin,
      event_class: packet.event_class,
      market_read_direction: packet.market_read_direction,
      severity: { score: packet.event_severity.score, severity_class: packet.event_severity.severity_class },
      confidence: { score: packet.confidence.score, label: packet.confidence.label },
      quality_class: packet.packet_quality.quality_class,
      gap_flags: packet.packet_quality.gap_flags,
      response_state: AROUND.responseState,
      event_id: packet.event_id,
      packet_digest: AROUND.packetDigest,
      lineage_digest: AROUND.lineageDigest,
    });
    for (const name of COMPOSITES) expect(packet.state_decision_trace.composites[name]).toMatchObject(compact.composites[name]);
    const texts = new Set(textsOf(packet));
    for (const sentence of [compact.headline, compact.one_reason, compact.one_against, compact.next_check]) {
      expect(sentence).not.toBe('');
      expect(texts.has(sentence)).toBe(true);
    }
  }
});

test('the session state is the packet’s; null in the first packets of a chain, and in those of the first edition', () => {
  for (const [packet, { session_state: session }] of inCompact) expect(session).toEqual(packet.session_state);
  const isSet = inCompact.map(([, { session_state: session }]) => session !== null);
  expect([isSet.indexOf(true), isSet.includes(true)]).toEqual([29, true]);
  const [packet] = packets as [Packet];
  const first = Object.fromEntries(Object.entries(packet).filter(([name]) => name !== 'session_state')) as unknown as Packet;
  expect(compactPacket(first, AROUND).session_state).toBeNull();
});
