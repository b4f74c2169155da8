import fc from 'fast-check';
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

it("has the bits of V8's own: of any number, and of ratios of prices", () => {
  const price = fc.integer({ min: 1, max: 1_000_000 });
  const isSame = (value: number): boolean => Object.is(naturalLog(value), Math.log(value));
  fc.assert(
    fc.property(fc.double({ min: 0 }), price, price, (any, one, other) => isSame(any) && isSame(one / other)),
    { numRuns: 20_000 },
  );
});
