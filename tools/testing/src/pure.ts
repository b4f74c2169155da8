export function atOnce<T>(total: number, work: (at: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: total }, (_, at) => work(at)));
}

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

/** Reproducible random numbers from a seed: mulberry32, 0 <= x < 1. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function shuffle<T>(items: readonly T[], random: () => number): T[] {
  const left = [...items];
  const shuffled: T[] = [];
  while (left.length > 0) shuffled.push(...left.splice(Math.floor(random() * left.length), 1));
  return shuffled;
}

export function oneOf<T>(items: readonly [T, ...T[]], random: () => number): T;
export function oneOf<T>(items: readonly T[], random: () => number): T | undefined;
export function oneOf<T>(items: readonly T[], random: () => number): T | undefined {
  return items[Math.floor(random() * items.length)];
}

/** A random integer from low to high, both inclusive. */
export function wholeBetween(low: number, high: number, random: () => number): number {
  return low + Math.floor(random() * (high - low + 1));
}
