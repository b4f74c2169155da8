/** A length of time in whole units, the two greatest: `1 h 5 min`, `45 s`. */
export function lengthWords(lengthMs: number): string {
  const seconds = Math.round(lengthMs / 1_000);
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

/** `It lasted 5 min.` of what is over; of what goes on, that it does: how long is known only when it is read. */
export function lastedSentence(openedMs: number, closedMs: number | null): string {
  return closedMs === null ? 'It goes on.' : `It lasted ${lengthWords(closedMs - openedMs)}.`;
}

/** Names in a list: `A`, `A and B`, `A, B and C`. */
export function listWords(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}
