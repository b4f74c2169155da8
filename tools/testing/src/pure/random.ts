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
