import { type CompactPacket, isFresh, withPacket, withPast, type MarketRow, orderRows } from './live-markets';

const row = (symbol: string, score: number, label = 'Depth watch') =>
  ({
    symbol,
    packet: {
      symbol,
      state_label: label,
      event_class: 'balanced_two_sided_context',
      severity: { score, severity_class: 'routine_context' },
      confidence: { score: 1 - score },
      state_margin: score,
      state_age_packets: 10 * score,
      gap_flags: ['recording_seam'],
      quality_class: 'usable',
      response_state: 'recorded_replay',
    } as unknown as CompactPacket,
    readings: [],
    isPastLoaded: true,
    receivedAtMs: null,
  }) satisfies MarketRow;

const rows = [row('A', 0.1), row('B', 0.9, 'Pressure building'), row('C', 0.5)];
const symbols = (...requested: Parameters<typeof orderRows> extends [unknown, ...infer Rest] ? Rest : never) =>
  orderRows(rows, ...requested).map(({ symbol }) => symbol);

test('rows are sorted by symbol or largest first, with pinned rows on top', () => {
  expect(symbols('symbol', '', [])).toEqual(['A', 'B', 'C']);
  expect(symbols('severity', '', [])).toEqual(['B', 'C', 'A']);
  expect(symbols('confidence', '', ['C'])).toEqual(['C', 'A', 'B']);
});

test('a filter matches rows with all of its words, in display or API spelling', () => {
  expect(symbols('symbol', 'pressure', [])).toEqual(['B']);
  expect(symbols('symbol', 'recording_seam depth', [])).toEqual(['A', 'C']);
  expect(symbols('symbol', 'nothing', [])).toEqual([]);
});

const at = (seconds: number): string => new Date(seconds * 1_000).toISOString();
const packet = (seconds: number, state: string, symbol = 'BTCUSD-PERP') =>
  ({ symbol, window_end_utc: at(seconds), state, state_label: state, state_age_packets: 1 }) as CompactPacket;

test('late and duplicate packets do not replace newer ones, and each window is stored once', () => {
  let markets = withPacket(new Map(), packet(20, 'depth_watch'));
  markets = withPacket(markets, packet(10, 'flow_shift_watch'));
  markets = withPacket(markets, packet(20, 'depth_watch'));
  const row = markets.get('BTCUSD-PERP');
  expect(row?.packet.state).toBe('depth_watch');
  expect(row?.readings.map(({ windowEndMs, state }) => [windowEndMs, state])).toEqual([
    [10_000, 'flow_shift_watch'],
    [20_000, 'depth_watch'],
  ]);
});

test('live packets override history, and packets older than an hour are dropped', () => {
  const live = withPacket(new Map(), packet(3_610, 'depth_watch'));
  const row = withPast(live, 'BTCUSD-PERP', [packet(10, 'old'), packet(20, 'kept'), packet(3_610, 'other')]).get('BTCUSD-PERP');
  expect(row?.readings.map(({ state }) => state)).toEqual(['kept', 'depth_watch']);
  expect(withPast(live, 'ETHUSD-PERP', [packet(10, 'old')])).toBe(live);
});

test('a packet is fresh until 25 s after its window', () => {
  expect([isFresh(packet(10, 'x'), 34_999), isFresh(packet(10, 'x'), 35_000)]).toEqual([true, false]);
});
