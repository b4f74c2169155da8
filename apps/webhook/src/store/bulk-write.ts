import type { Queryable } from '@market-state/postgres';
import type { QueryConfig } from 'pg';

/** Rows of one statement: enough to be worth a statement, and few enough that the database is at work early. */
const SLICE_ROWS = 1_000;

/** A statement that is ready to be sent, and what the work on its slice came to. */
interface Prepared<Result> {
  /** Undefined where there is nothing to write. */
  readonly statement: QueryConfig | undefined;
  readonly result: Result;
}

/**
 * Writes much in several statements, one after the other on one connection: while the database works on one, the next is prepared.
 * @returns what the work on each slice came to, and rows that were written
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
    // It is waited for after the next is prepared: a failure in between is nobody's yet.
    writing.catch(() => undefined);
  }
  await writing;
  return { results, rowTotal };
}

/** Between the values of a list: neither JSON nor an id has it. */
const SEPARATOR = '\u001e';

/**
 * Texts as one parameter, null for a row without one: thousands of them are quoted much faster than as an array. `textsOf` takes
 * them apart; an empty text comes out of it as null.
 */
export function textList(texts: readonly (string | null)[]): string {
  return texts.join(SEPARATOR);
}

/** Documents as one parameter, in the same way. */
export function jsonList(documents: readonly unknown[]): string {
  return textList(documents.map((each) => (each === null ? null : JSON.stringify(each))));
}

/** The texts of a parameter that `textList` made, as an array. */
export const textsOf = (parameter: string): string => `string_to_array(${parameter}, chr(30), '')`;
