import { HALF_HOUR_MS, HalfHours } from './bootstrap';

/** Ten packets in each half hour; the mean of a half hour is its number. */
const windowEnds = Float64Array.from({ length: 200 }, (_, index) => Math.floor(index / 10) * HALF_HOUR_MS + (index % 10) * 10_000);

function mean(halfHours: HalfHours) {
  return halfHours.estimates((counts) => ({
    mean: counts.reduce((sum, count, halfHour) => sum + count * halfHour, 0) / counts.reduce((sum, count) => sum + count, 0),
  })).mean;
}

test('intervals repeat and are those of a mean of independent half hours', () => {
  const estimate = mean(new HalfHours(windowEnds));
  expect(estimate).toEqual(mean(new HalfHours(windowEnds)));
  // Standard error √(399 / 12 / 20) = 1.29, times 1.645 to each side.
  expect(estimate).toEqual({ value: 9.5, low: expect.closeTo(9.5 - 2.12, 0) as number, high: expect.closeTo(9.5 + 2.12, 0) as number });
});

test('a single half hour has no interval, and a statistic that is null has no estimate', () => {
  const halfHours = new HalfHours(windowEnds.subarray(0, 10));
  expect(mean(halfHours)).toEqual({ value: 0, low: null, high: null });
  expect(halfHours.estimates(() => ({ none: null })).none).toBeNull();
});

test('resamples that are the same are measured once', () => {
  let measured = 0;
  new HalfHours(windowEnds.subarray(0, 20)).estimates((counts) => {
    measured += 1;
    return { first: counts[0] ?? 0 };
  });
  // The packets themselves, and of two half hours: each once, the first twice, the second twice.
  expect(measured).toBe(4);
});
