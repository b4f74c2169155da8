import fc from 'fast-check';
import { nearestRank, SortedWindow } from './samples';

test('every rank is that of the newest values sorted, ties and evictions in', () => {
  const value = fc.oneof(
    fc.integer({ min: 0, max: 5 }),
    fc.double({ min: 0, max: 1e6, noNaN: true }).map((size) => size + 0),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), fc.array(value, { minLength: 1, maxLength: 40 }), (limit, values) => {
      const window = new SortedWindow(limit);
      const read: unknown[] = [];
      const wanted: unknown[] = [];
      values.forEach((next, index) => {
        window.push(next);
        const newest = values.slice(Math.max(0, index + 1 - limit), index + 1);
        read.push([[...window], newest.map((_, rank) => window.smallest(rank)), nearestRank(window, 0.8)]);
        wanted.push([newest, [...newest].sort((a, b) => a - b), nearestRank(newest, 0.8)]);
      });
      expect(read).toEqual(wanted);
    }),
    { numRuns: 1_000 },
  );
});

test('a rank that is not there is refused', () => {
  const window = new SortedWindow(2, [1]);
  expect(() => window.smallest(1)).toThrow(RangeError);
  expect(() => nearestRank(new SortedWindow(2), 0.5)).toThrow(RangeError);
});

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
