import { type Column, sqlTypeOf } from './column';

/** The columns of a kind of file, and which of them are checked against the manifest. */
export interface ArchiveLayout {
  readonly columns: readonly Column[];
  /** Whole numbers that rise from row to row. */
  readonly ordinal: string;
  /** Milliseconds since the epoch. */
  readonly time: string;
  /** Bytes or text that the chain of rows is computed over. */
  readonly payload: string;
}

/** The column with that name. @throws RangeError when there is none */
export function columnOf(layout: ArchiveLayout, name: string): Column {
  const column = layout.columns.find((candidate) => candidate.name === name);
  if (column === undefined) throw new RangeError(`no column ${name}`);
  return column;
}

/** Names and types as a manifest has them. */
export function layoutSchema({ columns }: ArchiveLayout): { name: string; type: string }[] {
  return columns.map((column) => ({ name: column.name, type: sqlTypeOf(column) }));
}
