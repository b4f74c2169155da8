/** Items in rounds, in their order: the first of each key, then the second of each that has one, and so on. */
export function inRounds<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const rounds: T[][] = [];
  const seen = new Map<string, number>();
  for (const item of items) {
    const round = seen.get(keyOf(item)) ?? 0;
    seen.set(keyOf(item), round + 1);
    rounds[round] = [...(rounds[round] ?? []), item];
  }
  return rounds;
}
