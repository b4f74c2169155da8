import fc from 'fast-check';
import { nearestRank, SortedWindow } from './sorted-window';

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
