import type { Packet } from '../src/packet/packet';
import { sentenceFaults } from './check-sentences';
import { recordingPackets } from './recording-packets';

/** Bytes of a body at most; names and sentences are ASCII. */
const BODY_BYTES_MAX = 25_000;

const recorded = { 'BTCUSD-PERP': recordingPackets('BTCUSD-PERP', 2), 'ETHUSD-PERP': recordingPackets('ETHUSD-PERP', 2) };

test.each(Object.entries(recorded))('every sentence of every packet of %s is true of the numbers of its packet', (_symbol, packets) => {
  expect(packets.length).toBeGreaterThan(100);
  expect(packets.flatMap(({ packet }) => sentenceFaults(packet))).toEqual([]);
});

test.each(Object.entries(recorded))('no body of %s is over 25 kB', (_symbol, packets) => {
  expect(packets.map(({ body }) => Buffer.byteLength(body)).filter((bytes) => bytes > BODY_BYTES_MAX)).toEqual([]);
});

describe('a sentence that is not true is found', () => {
  const all = Object.values(recorded).flatMap((packets) => packets.map(({ packet }) => packet));
  const found = (test: (packet: Packet) => boolean): Packet => {
    const packet = all.find(test);
    if (packet === undefined) throw new Error('the recordings hold no such packet');
    return structuredClone(packet);
  };
  const confirmable = () =>
    found(({ client_reason_summary: { invalidation_conditions: endings } }) =>
      endings.some((end) => /becomes confirmed pressure/.test(end)),
    );
  const depthOnly = () => found(({ event_profile: profile }) => profile === 'depth_only_pressure');
  const withRead = (packet: Packet, read: string): Packet => ({ ...packet, client_readout: { ...packet.client_readout, read } });
  const ending = (packet: Packet, from: RegExp, to: string): Packet => ({
    ...packet,
    client_reason_summary: {
      ...packet.client_reason_summary,
      invalidation_conditions: packet.client_reason_summary.invalidation_conditions.map((sentence) => sentence.replace(from, to)),
    },
  });

  test.each<[string, () => Packet, RegExp]>([
    [
      'a number that is another',
      () => ({ ...depthOnly(), packet_quality: { ...depthOnly().packet_quality, quality_score: 1 } }),
      /not what the fields make/,
    ],
    ['milliseconds', () => withRead(depthOnly(), 'The book is 26 ms old.'), /milliseconds/],
    ['six digits', () => withRead(depthOnly(), 'Trade flow is 0.166667.'), /0\.166667/],
    ['dominance under elevated', () => withRead(depthOnly(), 'Aggressive buy flow dominates.'), /dominates under elevated/],
    ['an end at watch of what is held', () => ending(depthOnly(), /falls below \d\.\d+/, 'falls below 0.16'), /prints other numbers/],
    [
      'an absorption that it does not become',
      () => ending(confirmable(), /becomes confirmed pressure when/, 'becomes absorption when'),
      /, not contra_flow_absorption/,
    ],
  ])('%s', (_name, packet, fault) => {
    expect(sentenceFaults(packet()).join('\n')).toMatch(fault);
  });
});
