import fc from 'fast-check';
import { secondsToMs, parseUtcInstant } from './receive-time';

const RUNS = { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 200) };

test.each([
  ['2024-02-29', 1_709_164_800_000],
  ['2024-02-29T00:00Z', 1_709_164_800_000],
  ['2024-02-29 00:00:00', 1_709_164_800_000],
  ['2024-02-29t00:00:00.0019z', 1_709_164_800_001],
  ['2024-02-29T01:30:00+01:30', 1_709_164_800_000],
  ['2024-02-28T23:00:00-01:00', 1_709_164_800_000],
  ['2016-12-31T23:59:59.999999999999', 1_483_228_799_999],
])('%s is read', (text, ms) => {
  expect(parseUtcInstant(text)).toBe(ms);
});

test.each([
  '',
  '2024-02-30T00:00:00Z',
  '2023-02-29',
  '2024-04-31',
  '2024-00-10',
  '2024-13-01',
  '2024-01-00',
  '2024-01-01T24:00:00Z',
  '2024-01-01T00:60:00Z',
  '2016-12-31T23:59:60Z',
  '2024-01-01T00:00:00+24:00',
  '2024-1-1',
  ' 2024-01-01',
  '2024-01-01Z',
  '12024-01-01',
])('%j is refused', (text) => {
  expect(parseUtcInstant(text)).toBeUndefined();
});

test('every instant of the years 0 to 9999 is read as it is written', () => {
  const instants = fc.date({ min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true });
  fc.assert(
    fc.property(instants, (date) => parseUtcInstant(date.toISOString()) === date.getTime()),
    RUNS,
  );
});

it.each([
  ['1786310819.5264041', 1_786_310_819_526],
  ['1786310819.72', 1_786_310_819_720],
  ['1786310819.9999999', 1_786_310_819_999],
  ['1786310819', 1_786_310_819_000],
  ['1786310819.', undefined],
  ['-1786310819.5', undefined],
  ['1.7e9', undefined],
  ['', undefined],
])('%s seconds are floored to %s ms on their digits', (text, ms) => {
  expect(secondsToMs(text)).toBe(ms);
});
