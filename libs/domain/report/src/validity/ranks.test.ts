import fc from 'fast-check';
import { quantile, Ranking, ranksOfKnown } from './ranks';

test('equal values take the mean of their ranks', () => {
  expect([...new Ranking([30, 10, 20, 20]).ranks()]).toEqual([4, 1, 2.5, 2.5]);
});

test('weighted ranks are those of the list with each value repeated', () => {
  const element = fc.record({ value: fc.integer({ min: 0, max: 5 }), weight: fc.integer({ min: 0, max: 3 }) });
  fc.assert(
    fc.property(fc.array(element, { maxLength: 12 }), (elements) => {
      const ranks = new Ranking(elements.map(({ value }) => value)).ranks(elements.map(({ weight }) => weight));
      const repeated = elements.flatMap(({ value, weight }) => Array<number>(weight).fill(value));
      const expected = new Ranking(repeated).ranks();
      for (const [index, { value, weight }] of elements.entries())
        if (weight > 0) expect(ranks[index]).toBe(expected[repeated.indexOf(value)]);
    }),
  );
});

test('unknown values have no rank and take none', () => {
  expect([...ranksOfKnown(Float64Array.of(5, NaN, 1))]).toEqual([2, NaN, 1]);
});

test('quantiles are interpolated between order statistics', () => {
  expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5);
  expect(quantile([4, 1, 3, 2], 1)).toBe(4);
  expect(quantile([], 0.5)).toBeNaN();
});
