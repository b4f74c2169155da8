import { replaySpan, withInstant } from './replay-address';

const OPENED = Date.parse('2026-11-25T12:00:00Z');
const spanOf = (address: string): readonly [string, string, string] => {
  const { symbol, fromMs, toMs } = replaySpan(new URLSearchParams(address), OPENED);
  return [symbol, new Date(fromMs).toISOString().slice(11, 19), new Date(toMs).toISOString().slice(11, 19)];
};

test.each([
  ['', 'BTCUSD-PERP', '11:44:00', '11:59:00'],
  ['symbol=ETHUSD-PERP&from=2026-11-25T10:00:00Z&to=2026-11-25T10:10:00Z', 'ETHUSD-PERP', '10:00:00', '10:10:00'],
  ['from=2026-11-25T02:00:00Z&to=2026-11-25T09:00:00Z', 'BTCUSD-PERP', '02:00:00', '03:00:00'],
  ['at=2026-11-25T10:00:00Z', 'BTCUSD-PERP', '09:55:00', '10:05:00'],
  ['at=2026-11-25T11:58:03Z', 'BTCUSD-PERP', '11:53:00', '11:59:00'],
  ['at=2026-11-25T10:03:00Z&from=2026-11-25T10:00:00Z&to=2026-11-25T10:10:00Z', 'BTCUSD-PERP', '10:00:00', '10:10:00'],
])('the span of "%s" is limited to what a page can hold', (address, ...expected) => {
  expect(spanOf(address)).toEqual(expected);
});

test('moving the cursor writes its span to the address; the start is not written', () => {
  const requested = new URLSearchParams('symbol=ETHUSD-PERP&at=2026-11-25T10:00:00Z&speed=5');
  const span = replaySpan(requested, OPENED);
  const moved = withInstant(requested, span, Date.parse('2026-11-25T10:04:00Z'));
  expect(moved.get('at')).toBe('2026-11-25T10:04:00Z');
  expect(replaySpan(moved, OPENED)).toEqual(span);
  expect(withInstant(moved, span, span.fromMs).has('at')).toBe(false);
  const untouched = new URLSearchParams('speed=5');
  expect(withInstant(untouched, span, span.fromMs)).toBe(untouched);
});
