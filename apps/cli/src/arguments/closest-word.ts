const EDITS_MAX = 2;

/** Word that differs in the fewest letters; undefined if none is close. */
export function closestWord(typed: string, words: readonly string[]): string | undefined {
  const close = words
    .map((word) => ({ word, edits: editsBetween(typed, word) }))
    .filter(({ word, edits }) => edits <= EDITS_MAX && edits < word.length / 2)
    .sort((one, other) => one.edits - other.edits);
  return close[0]?.word;
}

/** Letters to insert, delete or replace (Levenshtein). */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_none, at) => at);
  for (const [line, letter] of [...one].entries()) {
    const next = [line + 1];
    for (let at = 1; at <= other.length; at += 1) {
      const replaced = (row[at - 1] ?? 0) + (letter === other[at - 1] ? 0 : 1);
      next.push(Math.min((next[at - 1] ?? 0) + 1, (row[at] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
