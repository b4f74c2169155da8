/** Column of a table written line by line: title and minimum width. The last column is not padded. */
export interface Column {
  readonly title: string;
  readonly width: number;
  /** Right-aligned, for numbers. */
  readonly right?: boolean;
}

export function tableHead(columns: readonly Column[], isStyled = false): string {
  const line = tableLine(
    columns,
    columns.map(({ title }) => title),
  );
  return isStyled ? `\u001b[1m${line}\u001b[22m` : line;
}

const NUMBER = /^-?\d[\d,]*(\.\d+)?$/;

/** Columns with only numbers are right-aligned. Cells equal to `absent` do not count. */
export function fittingColumns(titles: readonly string[], rows: readonly (readonly string[])[], absent: string): readonly Column[] {
  return titles.map((title, at) => {
    const cells = rows.map((row) => row[at] ?? '');
    const present = cells.filter((cell) => cell !== absent);
    return {
      title,
      width: Math.max(title.length, ...cells.map((cell) => cell.length)),
      right: present.length > 0 && present.every((cell) => NUMBER.test(cell)),
    };
  });
}

/** Columns wide enough for these cells too; later rows stay aligned. */
export function widened(columns: readonly Column[], cells: readonly string[]): readonly Column[] {
  return columns.some(({ width }, at) => (cells[at]?.length ?? 0) > width)
    ? columns.map((column, at) => ({ ...column, width: Math.max(column.width, cells[at]?.length ?? 0) }))
    : columns;
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
