/** A column of a table that is written line by line: its title and how wide it is at least. The last column is as wide as it needs. */
export interface Column {
  readonly title: string;
  readonly width: number;
  /** Numbers stand to the right. */
  readonly right?: boolean;
}

/** The line of titles. */
export function tableHead(columns: readonly Column[]): string {
  return tableLine(
    columns,
    columns.map(({ title }) => title),
  );
}

export function tableLine(columns: readonly Column[], cells: readonly string[]): string {
  return cells
    .map((cell, index) => {
      const { width = 0, right = false } = columns[index] ?? {};
      return right ? cell.padStart(width) : cell.padEnd(width);
    })
    .join('  ')
    .trimEnd();
}

/** A table whose rows are all known: as wide as it must be. */
export function wholeTable(titles: readonly string[], rows: readonly (readonly string[])[], rightFrom = titles.length): readonly string[] {
  const columns = titles.map((title, index) => ({
    title,
    width: Math.max(title.length, ...rows.map((row) => row[index]?.length ?? 0)),
    right: index >= rightFrom,
  }));
  return [tableHead(columns), ...rows.map((row) => tableLine(columns, row))];
}
