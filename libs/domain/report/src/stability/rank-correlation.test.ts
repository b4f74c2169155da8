import { RankedPairs } from './rank-correlation';

const correlationOf = (...pairs: readonly (readonly [number, number])[]): number | null => {
  const ranked = new RankedPairs();
  for (const [left, right] of pairs) ranked.add(left, right);
  return ranked.correlation();
};

test('only the order counts, not the distances', () => {
  expect(correlationOf([1, 10], [2, 11], [3, 1_000])).toBeCloseTo(1, 12);
  expect(correlationOf([1, 1_000], [2, 11], [3, 10])).toBeCloseTo(-1, 12);
});

test('equal values take the mean of their ranks', () => {
  // Ranks 1, 2.5, 2.5, 4 and 1, 3, 2, 4: covariance 4.5 over √(4.5 × 5).
  expect(correlationOf([1, 1], [2, 3], [2, 2], [3, 4])).toBeCloseTo(4.5 / Math.sqrt(4.5 * 5), 12);
});

test('there is none of fewer than two different values', () => {
  expect(correlationOf()).toBeNull();
  expect(correlationOf([1, 2])).toBeNull();
  expect(correlationOf([1, 2], [1, 3])).toBeNull();
});
