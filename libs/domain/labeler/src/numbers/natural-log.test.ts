import { drawnNumbers } from '../../tests/drawn-numbers';
import { naturalLog } from './natural-log';

it.each([
  0,
  -0,
  1,
  -1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  Number.MIN_VALUE,
  Number.MAX_VALUE,
  2 ** -1022,
  Math.E,
])('the logarithm of %d is that of Math.log', (value) => {
  expect(naturalLog(value)).toBe(Math.log(value));
});

it("has the bits of V8's own on numbers of all sizes, ratios of prices most of all", () => {
  const different = [...drawnNumbers(20_260_101, 300_000)].filter((value) => !Object.is(naturalLog(value), Math.log(value)));
  expect(different).toEqual([]);
});
