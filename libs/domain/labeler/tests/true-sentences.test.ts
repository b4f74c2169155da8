import { sentenceFaults } from './check-sentences';
import { recordingPackets } from './recording-packets';

test.each([
  ['BTCUSD-PERP', 2],
  ['ETHUSD-PERP', 2],
])('every sentence of every packet of %s is true of the numbers of its packet', (symbol, passes) => {
  const packets = recordingPackets(symbol, passes);
  expect(packets.length).toBeGreaterThan(100);
  expect(packets.flatMap(({ packet }) => sentenceFaults(packet))).toEqual([]);
});
