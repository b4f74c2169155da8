/** Column of a table written line by line: title and minimum width. The last column is not padded. */
export interface Column {
  readonly title: string;
  readonly width: number;
  /** Right-aligned, for numbers. */
  readonly right?: boolean;
}

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

/** Table whose rows are all known, so that columns fit their widest cell. */
export function wholeTable(titles: readonly string[], rows: readonly (readonly string[])[], rightFrom = titles.length): readonly string[] {
  const columns = titles.map((title, index) => ({
    title,
    width: Math.max(title.length, ...rows.map((row) => row[index]?.length ?? 0)),
    right: index >= rightFrom,
  }));
  return [tableHead(columns), ...rows.map((row) => tableLine(columns, row))];
}
