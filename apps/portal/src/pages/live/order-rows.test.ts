import type { BoardRow, CompactPacket } from '../../packets/board';
import { orderRows } from './order-rows';

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
  }) satisfies BoardRow;

const rows = [row('A', 0.1), row('B', 0.9, 'Pressure building'), row('C', 0.5)];
const symbols = (...asked: Parameters<typeof orderRows> extends [unknown, ...infer Rest] ? Rest : never) =>
  orderRows(rows, ...asked).map(({ symbol }) => symbol);

test('rows stand by symbol or largest first, pinned ones above all', () => {
  expect(symbols('symbol', '', [])).toEqual(['A', 'B', 'C']);
  expect(symbols('severity', '', [])).toEqual(['B', 'C', 'A']);
  expect(symbols('confidence', '', ['C'])).toEqual(['C', 'A', 'B']);
});

test('a filter keeps rows that have each of its words, written as people or as the API write them', () => {
  expect(symbols('symbol', 'pressure', [])).toEqual(['B']);
  expect(symbols('symbol', 'recording_seam depth', [])).toEqual(['A', 'C']);
  expect(symbols('symbol', 'nothing', [])).toEqual([]);
});
