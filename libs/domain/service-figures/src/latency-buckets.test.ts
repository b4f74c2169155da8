import fc from 'fast-check';
import { addCounts, countLatency, LATENCY_BOUNDS_MS, latencyQuantileMs, totalOf } from './latency-buckets';

const latencies = fc.array(fc.integer({ min: 0, max: 60_000 }), { minLength: 1, maxLength: 60 });

function countsOf(times: readonly number[]): number[] {
  const counts: number[] = [];
  for (const time of times) countLatency(counts, time);
  return counts;
}

/** The quantile of the times themselves. */
function exactly(times: readonly number[], quantile: number): number {
  return times.toSorted((one, other) => one - other)[Math.ceil(times.length * quantile) - 1] ?? Number.NaN;
}

test('bounds rise, are whole, and each is at most 19 % or 1 ms above the one before and what lies between', () => {
  expect(LATENCY_BOUNDS_MS.slice(0, 12)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16]);
  expect(LATENCY_BOUNDS_MS.at(-1)).toBe(65_536);
  LATENCY_BOUNDS_MS.slice(1).forEach((bound, index) => {
    const lowest = (LATENCY_BOUNDS_MS[index] ?? 0) + 1;
    expect(bound - lowest).toBeLessThanOrEqual(Math.max(1, lowest * 0.19));
  });
});

test('a quantile is that of the times, or at most one bucket above', () => {
  fc.assert(
    fc.property(latencies, fc.constantFrom(0.01, 0.5, 0.99, 1), (times, quantile) => {
      const reported = latencyQuantileMs(countsOf(times), quantile) ?? Number.NaN;
      const exact = exactly(times, quantile);
      expect(reported).toBeGreaterThanOrEqual(exact);
      expect(reported).toBe(LATENCY_BOUNDS_MS.find((bound) => bound >= exact));
    }),
    { seed: 22_002 },
  );
});

test('counts that are added up are those of all the times', () => {
  fc.assert(
    fc.property(latencies, latencies, (one, other) => {
      expect(addCounts(countsOf(one), countsOf(other))).toEqual(countsOf([...one, ...other]));
      expect(totalOf(countsOf(one))).toBe(one.length);
    }),
    { seed: 22_003 },
  );
});

test('clocks that differ count as the shortest time; of nothing there is no quantile', () => {
  expect(countsOf([-5])).toEqual([1]);
  expect(countsOf([1e9]).length).toBe(LATENCY_BOUNDS_MS.length);
  expect(latencyQuantileMs([], 0.99)).toBeNull();
  expect(latencyQuantileMs([0, 0], 0.5)).toBeNull();
});
