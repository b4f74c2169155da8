import fc from 'fast-check';
import { nearestRank } from './sorted-window';

describe('nearest rank', () => {
  test.each([
    [[3, 1, 2], 0.5, 2], // ceil(1.5) = 2nd
    [[4, 1, 3, 2], 0.5, 2], // ceil(2) = 2nd
    [[10, 20, 30, 40, 50], 0.8, 40], // ceil(4) = 4th
    [[10, 20, 30, 40, 50], 0.95, 50], // ceil(4.75) = 5th
    [[7], 0.01, 7],
  ])('of %j at %d is %d', (values, q, expected) => {
    expect(nearestRank(values, q)).toBe(expected);
  });

  test('nothing has no quantile', () => {
    expect(() => nearestRank([], 0.5)).toThrow(RangeError);
  });

  test('it is the element a sort would find, whatever the order and the ties', () => {
    // −0 + 0 is 0: the two zeros sort alike.
    const sample = fc.array(
      fc.oneof(
        fc.integer({ min: -5, max: 5 }),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
      ),
      { minLength: 1, maxLength: 200 },
    );
    fc.assert(
      fc.property(sample, fc.double({ min: 0.001, max: 1, noNaN: true }), (values, q) => {
        const sorted = [...values].sort((a, b) => a - b);
        expect(nearestRank(values, q)).toBe(sorted[Math.max(1, Math.ceil(q * values.length)) - 1]);
      }),
      { numRuns: 1000 },
    );
  });
});
