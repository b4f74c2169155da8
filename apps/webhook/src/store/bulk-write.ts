import type { Queryable } from '@market-state/postgres';
import type { QueryConfig } from 'pg';

/** Large enough to amortise a statement, small enough that the database starts early. */
const SLICE_ROWS = 1_000;

/** Prepared statement of a slice, with the result of preparing it. */
interface Prepared<Result> {
  readonly statement: QueryConfig | undefined;
  readonly result: Result;
}

/**
 * The next slice is prepared while the database runs the current one.
 * @returns result per slice, and number of rows written
 */
export async function inSlices<Item, Result>(
  on: Queryable,
  items: readonly Item[],
  prepare: (slice: readonly Item[]) => Prepared<Result>,
): Promise<{ readonly results: Result[]; readonly rowTotal: number }> {
  const results: Result[] = [];
  let rowTotal = 0;
  let writing: Promise<void> | undefined;
  for (let from = 0; from < items.length; from += SLICE_ROWS) {
    const { statement, result } = prepare(items.slice(from, from + SLICE_ROWS));
    results.push(result);
    await writing;
    if (statement === undefined) continue;
    writing = on.query(statement).then(({ rowCount }) => {
      rowTotal += rowCount ?? 0;
    });
    // Awaited after the next slice is prepared; this prevents an unhandled rejection in between.
    writing.catch(() => undefined);
  }
  await writing;
  return { results, rowTotal };
}

/** Separator that occurs neither in JSON nor in ids. */
const SEPARATOR = '\u001e';

/**
 * The driver quotes one parameter much faster than an array. Decode with `textsOf`, which turns empty texts into null.
 */
export function textList(texts: readonly (string | null)[]): string {
  return texts.join(SEPARATOR);
}

export function jsonList(documents: readonly unknown[]): string {
  return textList(documents.map((each) => (each === null ? null : JSON.stringify(each))));
}

export const textsOf = (parameter: string): string => `string_to_array(${parameter}, chr(30), '')`;
