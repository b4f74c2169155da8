/** Latest time that a bucket holds, milliseconds: what is counted as live comes sooner. */
const LAST_BOUND_MS = 65_536;

/** Buckets between a time and its double. */
const STEPS_A_DOUBLE = 4;

/**
 * Upper bounds of the buckets of a latency, milliseconds, rising: the whole numbers at or above 2^(k/4), each once. A time is counted in
 * the first bucket whose bound it does not pass, so a bound is at most 19 %, or 1 ms, above the times that it stands for.
 */
export const LATENCY_BOUNDS_MS: readonly number[] = bounds();

function bounds(): number[] {
  const steps = Math.log2(LAST_BOUND_MS) * STEPS_A_DOUBLE;
  return [...new Set(Array.from({ length: steps + 1 }, (_none, step) => Math.ceil(2 ** (step / STEPS_A_DOUBLE))))];
}

/** The bucket of a time in milliseconds; the first for what comes too early, as where clocks differ, the last for what is beyond all. */
function bucketOf(latencyMs: number): number {
  const found = LATENCY_BOUNDS_MS.findIndex((boundMs) => latencyMs <= boundMs);
  return found === -1 ? LATENCY_BOUNDS_MS.length - 1 : found;
}

/** Counts a time in its bucket; the counts grow up to that. */
export function countLatency(counts: number[], latencyMs: number): void {
  const bucket = bucketOf(latencyMs);
  while (counts.length <= bucket) counts.push(0);
  counts[bucket] = (counts[bucket] ?? 0) + 1;
}

/** Counts by bucket, added up; missing buckets count 0. */
export function addCounts(counts: readonly number[], further: readonly number[]): number[] {
  const length = Math.max(counts.length, further.length);
  return Array.from({ length }, (_none, bucket) => (counts[bucket] ?? 0) + (further[bucket] ?? 0));
}

/** How many times were counted. */
export function totalOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * The upper bound, in milliseconds, of the bucket in which the quantile lies: that of the time at place ceil(quantile × total) in rising
 * order. Null where nothing was counted.
 * @param quantile above 0, at most 1
 */
export function latencyQuantileMs(counts: readonly number[], quantile: number): number | null {
  const place = Math.ceil(totalOf(counts) * quantile);
  if (place === 0) return null;
  let passed = 0;
  const bucket = counts.findIndex((count) => (passed += count) >= place);
  return LATENCY_BOUNDS_MS[bucket] ?? null;
}
