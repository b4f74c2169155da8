import { retryDelayMs } from './retry-schedule';

const GROWING = { attempts: 5, minMs: 2_000, maxMs: 20_000 };
const LISTED = { delaysMs: [1_000, 60_000], jitter: 0.2 };

test.each([
  [0, 0, 2_000],
  [0, 1, 4_000],
  [2, 1, 16_000],
  [3, 1, 20_000],
  [3, 0, 2_000],
])('after %i failures at random %d the next attempt follows in %i ms', (failures, random, expected) => {
  expect(retryDelayMs(GROWING, failures, () => random)).toBe(expected);
});

test('the fifth of five attempts is the last', () => {
  expect(retryDelayMs(GROWING, 4)).toBeUndefined();
});

test.each([
  [0, 0, 800],
  [0, 0.5, 1_000],
  [1, 1, 72_000],
])('a listed delay after %i failures at random %d is %i ms', (failures, random, expected) => {
  expect(retryDelayMs(LISTED, failures, () => random)).toBe(expected);
});

test('a list of two delays is three attempts', () => {
  expect(retryDelayMs(LISTED, 2)).toBeUndefined();
});
