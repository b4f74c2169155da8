import type { LineFile } from '@market-state/labeler/recompute';

/** The lines of one symbol of a dump, and those that are of none, such as keys; all of them where no symbol is given. */
export function linesOf(dump: LineFile, symbol: string | undefined): LineFile {
  if (symbol === undefined) return dump;
  const own = `"symbol":"${symbol}"`;
  const isOwn = (line: string): boolean => line.includes(own) || !line.includes('"symbol":"');
  return { name: dump.name, lines: { [Symbol.asyncIterator]: () => filtered(dump.lines, isOwn) } };
}

async function* filtered(
  batches: AsyncIterable<readonly string[]>,
  isWanted: (line: string) => boolean,
): AsyncGenerator<readonly string[]> {
  for await (const batch of batches) yield batch.filter(isWanted);
}
