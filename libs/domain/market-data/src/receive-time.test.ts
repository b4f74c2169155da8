import { isoToMs, secondsToMs } from './receive-time';

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

it.each([
  ['2024-01-01T12:00:01.138942031', 1_704_110_401_138],
  ['2024-01-01T12:00:01.1', undefined],
  ['2024-13-01T12:00:01.138', undefined],
  ['2024-01-01 12:00:01.138', undefined],
  [1_704_110_401_138, undefined],
])('%s is the UTC time of %s ms', (text, ms) => {
  expect(isoToMs(text)).toBe(ms);
});
