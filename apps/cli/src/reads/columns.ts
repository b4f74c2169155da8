import { isRow, type Row } from '../output/cells';
import type { Read } from './read';

/** The members that a table or CSV shows of rows: those of the read, else all that are no lists and no objects. */
export function columnsOf({ columns }: Pick<Read, 'columns'>, rows: readonly Row[]): readonly string[] {
  if (columns !== undefined) return columns;
  const [first = {}] = rows;
  return Object.keys(first).filter((name) => !Array.isArray(first[name]) && !isRow(first[name]));
}
