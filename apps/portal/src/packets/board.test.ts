import { type CompactPacket, isFresh, withPacket, withPast } from './board';

const at = (seconds: number): string => new Date(seconds * 1_000).toISOString();
const packet = (seconds: number, state: string, symbol = 'BTCUSD-PERP') =>
  ({ symbol, window_end_utc: at(seconds), state, state_label: state, state_age_packets: 1 }) as CompactPacket;

test('a packet that comes late or twice changes no newer one, and each window is kept once', () => {
  let board = withPacket(new Map(), packet(20, 'depth_watch'));
  board = withPacket(board, packet(10, 'flow_shift_watch'));
  board = withPacket(board, packet(20, 'depth_watch'));
  const row = board.get('BTCUSD-PERP');
  expect(row?.packet.state).toBe('depth_watch');
  expect(row?.readings.map(({ windowEndMs, state }) => [windowEndMs, state])).toEqual([
    [10_000, 'flow_shift_watch'],
    [20_000, 'depth_watch'],
  ]);
});

test('what was read of the past gives way to what came live, and what is older than an hour is dropped', () => {
  const live = withPacket(new Map(), packet(3_610, 'depth_watch'));
  const row = withPast(live, 'BTCUSD-PERP', [packet(10, 'old'), packet(20, 'kept'), packet(3_610, 'other')]).get('BTCUSD-PERP');
  expect(row?.readings.map(({ state }) => state)).toEqual(['kept', 'depth_watch']);
  expect(withPast(live, 'ETHUSD-PERP', [packet(10, 'old')])).toBe(live);
});

test('a packet is fresh until 25 s after its window', () => {
  expect([isFresh(packet(10, 'x'), 34_999), isFresh(packet(10, 'x'), 35_000)]).toEqual([true, false]);
});
