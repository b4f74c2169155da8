import fc from 'fast-check';
import { round12, round6, roundHalfEven } from './round';

/** The rounding written a second way: the double as an exact fraction, rounded in whole numbers, then read back from its decimal text. */
function oracle(value: number, decimals: number): number {
  const magnitude = Math.abs(value);
  let numerator = magnitude;
  let denominator = 1n;
  while (!Number.isInteger(numerator)) {
    numerator *= 2;
    denominator *= 2n;
  }
  const scaled = BigInt(numerator) * 10n ** BigInt(decimals);
  let units = scaled / denominator;
  const twiceRest = 2n * (scaled - units * denominator);
  if (twiceRest > denominator || (twiceRest === denominator && units % 2n === 1n)) units += 1n;
  const digits = units.toString().padStart(decimals + 1, '0');
  const text = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  const rounded = Number(text);
  return rounded === 0 ? 0 : Math.sign(value) * rounded;
}

describe('rounding of numbers', () => {
  test.each([
    [0.1234565, 0.123456], // the double is 0.12345649999…
    [2.5e-7, 0],
    [5e-7, 0], // 0.0000004999… as a double
    [1.5e-6, 0.000002], // 0.00000150000000000000003… as a double
    [0.0000005000001, 0.000001],
    [1 / 128, 0.007812], // 0.0078125 exactly: the even one
    [3 / 128, 0.023438], // 0.0234375 exactly: the even one
    [-1 / 128, -0.007812],
    [1 / 3, 0.333333],
    [2 / 3, 0.666667],
    [-2e-7, 0],
    [61_804.75, 61_804.75],
    [1e15 / 7, 1e15 / 7],
  ])('%d to 6 decimals is %d', (value, expected) => {
    expect(Object.is(round6(value), expected)).toBe(true);
  });

  test.each([
    [0.5, 0],
    [1.5, 2],
    [2.5, 2],
    [62.49999999999999, 62],
    [-0.5, 0],
    [-2.5, -2],
    [84.5, 84],
  ])('%d to an integer is %d', (value, expected) => {
    expect(Object.is(roundHalfEven(value), expected)).toBe(true);
  });

  test('twelve decimals keep a funding rate', () => {
    expect(round12(0.0000125)).toBe(0.0000125);
    expect(round12(1.2345678901234e-5)).toBe(0.000012345679);
  });

  test('a number that is not finite is refused', () => {
    expect(() => round6(Number.NaN)).toThrow(RangeError);
    expect(() => round6(Number.POSITIVE_INFINITY)).toThrow(RangeError);
  });

  test('any double rounds as exact arithmetic does', () => {
    const anywhere = fc.double({ min: -1e12, max: 1e12, noNaN: true });
    const small = fc.double({ min: -2, max: 2, noNaN: true });
    fc.assert(
      fc.property(
        fc.oneof(anywhere, small),
        (value) =>
          Object.is(round6(value), oracle(value, 6)) &&
          Object.is(round12(value), oracle(value, 12)) &&
          Object.is(roundHalfEven(value), oracle(value, 0)),
      ),
      { numRuns: 3000 },
    );
  });

  test('doubles next to a tie, and ties themselves, round as exact arithmetic does', () => {
    const nearTie = fc.tuple(fc.integer({ min: 0, max: 2 ** 40 }), fc.integer({ min: -3, max: 3 })).map(([units, steps]) => {
      const tie = (units + 0.5) / 1e6;
      return tie + steps * tie * Number.EPSILON;
    });
    const trueTie = fc
      .tuple(fc.integer({ min: 0, max: 2 ** 30 }), fc.integer({ min: 0, max: 7 }))
      .map(([odd, power]) => (2 * odd + 1) / 2 ** power);
    fc.assert(
      fc.property(
        fc.oneof(nearTie, trueTie),
        (value) => Object.is(round6(value), oracle(value, 6)) && Object.is(roundHalfEven(value), oracle(value, 0)),
      ),
      { numRuns: 3000 },
    );
  });
});
