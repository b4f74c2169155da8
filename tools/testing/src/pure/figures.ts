/** Nearest-rank percentile for 0 < share <= 1; NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
}

/** To a tenth. */
export function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

export function countsOf(counts: Readonly<Record<string, number>>): string {
  const entries = Object.entries(counts);
  return entries.length === 0 ? 'none' : entries.map(([kind, total]) => `${kind}: ${total}`).join(', ');
}

export function addUp<Counts extends Readonly<Record<string, number>>>(each: readonly Counts[]): Counts {
  const sums: Record<string, number> = {};
  for (const counts of each) for (const [kind, total] of Object.entries(counts)) sums[kind] = (sums[kind] ?? 0) + total;
  return sums as Counts;
}
