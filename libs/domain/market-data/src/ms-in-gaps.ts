/** Milliseconds of a span that lie in a gap, where gaps may overlap. An open gap, whose end is 0, lasts to the end of the span. */
export function msInGaps(gaps: readonly { readonly startMs: number; readonly endMs: number }[], fromMs: number, toMs: number): number {
  const parts = gaps
    .map(({ startMs, endMs }) => [Math.max(fromMs, startMs), Math.min(toMs, endMs === 0 ? toMs : endMs)] as const)
    .filter(([start, end]) => end > start)
    .sort(([one], [other]) => one - other);
  let coveredToMs = fromMs;
  let sum = 0;
  for (const [start, end] of parts) {
    sum += Math.max(0, end - Math.max(start, coveredToMs));
    coveredToMs = Math.max(coveredToMs, end);
  }
  return sum;
}
