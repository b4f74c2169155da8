import fc from 'fast-check';
import { quantile, Ranking, ranksOfKnown, correlationOf, crossProducts, rankCorrelation } from './ranks';

const productsOf = (...lists: readonly (readonly number[])[]) => crossProducts(lists.map((list) => Float64Array.from(list)));

test('equal values take the mean of their ranks', () => {
  expect([...new Ranking([30, 10, 20, 20]).ranks()]).toEqual([4, 1, 2.5, 2.5]);
});

test('weighted ranks are those of the list with each value repeated', () => {
  const element = fc.record({ value: fc.integer({ min: 0, max: 5 }), weight: fc.integer({ min: 0, max: 3 }) });
  fc.assert(
    fc.property(fc.array(element, { maxLength: 12 }), (elements) => {
      const ranks = new Ranking(elements.map(({ value }) => value)).ranks(Float64Array.from(elements, ({ weight }) => weight));
      const repeated = elements.flatMap(({ value, weight }) => Array<number>(weight).fill(value));
      const expected = new Ranking(repeated).ranks();
      for (const [index, { value, weight }] of elements.entries())
        if (weight > 0) expect(ranks[index]).toBe(expected[repeated.indexOf(value)]);
    }),
  );
});

test('weighted products are those of the lists with each element repeated', () => {
  const [left, right, weights] = [
    [3, 1, 4, 1],
    [2, 7, 1, 8],
    [2, 0, 1, 3],
  ].map((list) => Float64Array.from(list));
  const repeated = (list = Float64Array.of()) => [...list].flatMap((value, index) => Array<number>(weights?.[index] ?? 0).fill(value));
  const expected = productsOf(repeated(left), repeated(right)).map((line) => line.map((sum) => expect.closeTo(sum, 12) as number));
  expect(
    crossProducts(
      [left, right].filter((list) => list !== undefined),
      weights,
    ),
  ).toEqual(expected);
});

test('unknown values have no rank and take none', () => {
  expect([...ranksOfKnown(Float64Array.of(5, NaN, 1))]).toEqual([2, NaN, 1]);
});

test('quantiles are interpolated between order statistics', () => {
  expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5);
  expect(quantile([4, 1, 3, 2], 1)).toBe(4);
  expect(quantile([], 0.5)).toBeNaN();
});

test('a rank correlation depends on the order, not on distances', () => {
  expect(rankCorrelation([1, 2, 3], [10, 11, 1_000])).toBeCloseTo(1, 12);
  expect(rankCorrelation([1, 2, 3], [1_000, 11, 10])).toBeCloseTo(-1, 12);
  // Ranks 1, 2.5, 2.5, 4 and 1, 3, 2, 4: covariance 4.5 over √(4.5 × 5).
  expect(rankCorrelation([1, 2, 2, 3], [1, 3, 2, 4])).toBeCloseTo(4.5 / Math.sqrt(4.5 * 5), 12);
});

test('fewer than two distinct values have no correlation', () => {
  expect(rankCorrelation([], [])).toBeNull();
  expect(rankCorrelation([1], [2])).toBeNull();
  expect(rankCorrelation([1, 1], [2, 3])).toBeNull();
});

test('a partial correlation is the one computed by hand', () => {
  // Correlations 0.8, 0.8 with the control, and 0.4: (0.8 − 0.8 × 0.4) / √((1 − 0.64) × (1 − 0.16)).
  const products = productsOf([1, 2, 3, 4], [1, 2, 4, 3], [1, 3, 2, 4]);
  expect(correlationOf(products, 0, 1)).toBeCloseTo(0.8, 12);
  expect(correlationOf(products, 0, 1, [2])).toBeCloseTo(0.48 / Math.sqrt(0.36 * 0.84), 12);
});

const list = fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 20, maxLength: 20 });

test('nothing is left of a value given itself, with other controls too', () => {
  fc.assert(
    fc.property(list, list, list, (value, outcome, other) => {
      for (const controls of [[2], [2, 3], [3, 2]])
        expect(correlationOf(productsOf(value, outcome, value, other), 0, 1, controls) ?? 0).toBe(0);
    }),
  );
});

test('a control given twice changes nothing', () => {
  fc.assert(
    fc.property(list, list, list, (value, outcome, control) => {
      const products = productsOf(value, outcome, control, control);
      expect(correlationOf(products, 0, 1, [2, 3])).toBe(correlationOf(products, 0, 1, [2]));
    }),
  );
});
