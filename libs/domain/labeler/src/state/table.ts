/** What a table can hold. */
export type Cell = number | string | boolean | null;

/** Rows of one shape without their names: all cells of the first row, then all of the second. */
export interface Table {
  readonly columns: readonly string[];
  readonly cells: readonly Cell[];
}

/** The named columns of the rows, in the order of the names. */
export function packTable<T extends object>(rows: Iterable<T>, columns: readonly CellKey<T>[]): Table {
  const cells: Cell[] = [];
  for (const row of rows) for (const column of columns) cells.push(row[column] as Cell);
  return { columns: columns.map(String), cells };
}

/** The rows again. @throws RangeError when the cells do not fill whole rows. */
export function unpackTable<T extends object>({ columns, cells }: Table): T[] {
  if (columns.length === 0 || cells.length % columns.length !== 0) throw new RangeError('a table with a broken row');
  const rows: T[] = [];
  for (let start = 0; start < cells.length; start += columns.length) {
    const row: Record<string, Cell> = {};
    columns.forEach((column, offset) => (row[column] = cells[start + offset] ?? null));
    rows.push(row as T);
  }
  return rows;
}

/** Names of the members of T that a cell can hold. */
export type CellKey<T> = { [K in keyof T]-?: T[K] extends Cell ? K : never }[keyof T];
