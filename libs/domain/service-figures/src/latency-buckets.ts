/** Upper bound of the last bucket; live packets arrive sooner. */
const LAST_BOUND_MS = 65_536;

/** Buckets per doubling of latency. */
const STEPS_A_DOUBLE = 4;

/**
 * Upper bounds of the buckets, ascending: the distinct integers at or above 2^(k/4). A latency counts in the first
 * bucket whose bound it does not exceed, so a bound is at most 19 %, or 1 ms, above it.
 */
export const LATENCY_BOUNDS_MS: readonly number[] = bounds();

function bounds(): number[] {
  const steps = Math.log2(LAST_BOUND_MS) * STEPS_A_DOUBLE;
  return [...new Set(Array.from({ length: steps + 1 }, (_none, step) => Math.ceil(2 ** (step / STEPS_A_DOUBLE))))];
}

/** First bucket for negative latencies (clock skew), last bucket for any above the last bound. */
function bucketOf(latencyMs: number): number {
  const found = LATENCY_BOUNDS_MS.findIndex((boundMs) => latencyMs <= boundMs);
  return found === -1 ? LATENCY_BOUNDS_MS.length - 1 : found;
}

/** The array grows as needed. */
export function countLatency(counts: number[], latencyMs: number): void {
  const bucket = bucketOf(latencyMs);
  while (counts.length <= bucket) counts.push(0);
  counts[bucket] = (counts[bucket] ?? 0) + 1;
}

export function addCounts(counts: readonly number[], further: readonly number[]): number[] {
  const length = Math.max(counts.length, further.length);
  return Array.from({ length }, (_none, bucket) => (counts[bucket] ?? 0) + (further[bucket] ?? 0));
}

export function totalOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * Upper bound in milliseconds of the bucket that contains the quantile, at rank ceil(quantile × total). Null if nothing
 * was counted.
 * @param quantile above 0, at most 1
 */
export function latencyQuantileMs(counts: readonly number[], quantile: number): number | null {
  const place = Math.ceil(totalOf(counts) * quantile);
  if (place === 0) return null;
  let passed = 0;
  const bucket = counts.findIndex((count) => (passed += count) >= place);
  return LATENCY_BOUNDS_MS[bucket] ?? null;
}
