import { readUrlValue, urlList, urlText, urlWord, withOpen, withUrlValue, readSpan, spanFromOldest, urlTime } from './url-state';

const USUAL = { symbol: 'BTCUSD-PERP', fromMs: 3_600_000, toMs: 7_200_000 };

test('an address without a span uses the default span', () => {
  expect(readSpan(new URLSearchParams(), USUAL)).toEqual(USUAL);
  const named = new URLSearchParams('symbol=ETHUSD-PERP&from=1970-01-01T00:00:10Z&to=1970-01-01T00:00:20.500Z');
  expect(readSpan(named, USUAL)).toEqual({ symbol: 'ETHUSD-PERP', fromMs: 10_000, toMs: 20_500 });
});

test('an address with only an end uses the default length', () => {
  expect(readSpan(new URLSearchParams('to=1970-01-01T10:00:00Z'), USUAL)).toMatchObject({ fromMs: 32_400_000, toMs: 36_000_000 });
});

test.each(['from=soon', 'from=1970-01-01T02:00:00Z', 'from=1970-01-01T03:00:00Z&to=1970-01-01T01:00:00Z'])(
  'what is no span is the usual one: %s',
  (text) => {
    expect(readSpan(new URLSearchParams(text), USUAL)).toEqual(USUAL);
  },
);

test('times survive a round trip through the address to the millisecond', () => {
  for (const ms of [0, 1_000, 1_764_111_600_123]) expect(Date.parse(urlTime(ms))).toBe(ms);
  expect(urlTime(1_000)).toBe('1970-01-01T00:00:01Z');
});

test.each([
  ['symbol=ETHUSD-PERP&from=1970-01-01T00:00:00Z&to=1970-01-01T00:30:00Z', 'from=1970-01-01T01:00:00Z&to=1970-01-01T01:30:00Z'],
  ['symbol=ETHUSD-PERP&from=1970-01-01T00:00:00Z&to=1970-01-01T09:00:00Z', 'from=1970-01-01T01:00:00Z&to=1970-01-01T09:00:00Z'],
  ['symbol=ETHUSD-PERP', 'from=1970-01-01T01:00:00Z&to=1970-01-01T02:00:00Z'],
])('a span from before the oldest data is moved, everything else stays: %s', (address, span) => {
  expect(decodeURIComponent(String(spanFromOldest(new URLSearchParams(address), 3_600_000)))).toBe(`symbol=ETHUSD-PERP&${span}`);
});

const order = urlWord(['symbol', 'age'], 'symbol');

test('values survive a round trip, and the default is not written to the address', () => {
  const params = withUrlValue(withUrlValue(new URLSearchParams('pin=BTCUSD-PERP'), 'sort', order, 'age'), 'filter', urlText, 'depth watch');
  expect(String(params)).toBe('pin=BTCUSD-PERP&sort=age&filter=depth+watch');
  expect(readUrlValue(params, 'sort', order)).toBe('age');
  expect(readUrlValue(params, 'pin', urlList)).toEqual(['BTCUSD-PERP']);
  expect(String(withUrlValue(params, 'sort', order, 'symbol'))).toBe('pin=BTCUSD-PERP&filter=depth+watch');
});

test('an invalid value falls back to the default', () => {
  expect(readUrlValue(new URLSearchParams('sort=profit'), 'sort', order)).toBe('symbol');
});

test('parts open and close independently in the address', () => {
  const both = withOpen(withOpen(new URLSearchParams('speed=1'), 'ledger', true), 'packets', true);
  expect(String(both)).toBe('speed=1&open=ledger%2Cpackets');
  expect(String(withOpen(both, 'packets', true))).toBe(String(both));
  expect(String(withOpen(both, 'ledger', false))).toBe('speed=1&open=packets');
  expect(String(withOpen(withOpen(both, 'ledger', false), 'packets', false))).toBe('speed=1');
});
