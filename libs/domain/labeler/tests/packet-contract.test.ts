import { recordingPackets } from './recording-packets';
import constantReasons from './constant-leaves.json';
import { constantLeaves } from './leaves';
import { contractFaults } from './walk-contract';
import { syntheticPackets } from './synthetic-packets';

const recorded = [...recordingPackets('BTCUSD-PERP', 3), ...recordingPackets('ETHUSD-PERP', 2)].map(
  ({ body }) => JSON.parse(body) as unknown,
);

test('every packet of both recordings has every field of the contract, of its type and value', () => {
  expect(recorded.length).toBeGreaterThan(300);
  expect(recorded.flatMap(contractFaults)).toEqual([]);
});

test('packets without a book, with gaps, with funding and with liquidations have them too', () => {
  expect(Object.values(syntheticPackets()).flatMap(contractFaults)).toEqual([]);
});

test('each leaf of a packet varies over the recordings, or is a listed constant with a reason', () => {
  expect(constantLeaves(recorded)).toEqual(Object.keys(constantReasons).sort());
});
