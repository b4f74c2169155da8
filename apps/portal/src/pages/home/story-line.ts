/** A point of a line: when and how much, or null where there is nothing. */
export interface LinePoint {
  readonly atMs: number;
  readonly value: number | null;
}

/**
 * The path of a line over a span in a box of 100 × 100, lowest value at the bottom. It breaks where a value is null and where two points
 * are further apart than `stepMs`.
 */
export function linePath(points: readonly LinePoint[], startMs: number, endMs: number, stepMs: number): string {
  const values = points.flatMap(({ value }) => (value === null ? [] : [value]));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  let beforeMs: number | null = null;
  let path = '';
  for (const { atMs, value } of points) {
    if (value === null) {
      beforeMs = null;
      continue;
    }
    const x = (100 * (atMs - startMs)) / (endMs - startMs);
    const y = high === low ? 50 : 100 - (100 * (value - low)) / (high - low);
    path += `${beforeMs === null || atMs - beforeMs > stepMs ? 'M' : 'L'}${x.toFixed(2)} ${y.toFixed(2)}`;
    beforeMs = atMs;
  }
  return path;
}
