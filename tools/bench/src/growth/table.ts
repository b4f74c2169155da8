/** A column of figures by the name of their row. */
export interface Column {
  readonly title: string;
  readonly figures: ReadonlyMap<string, number>;
}

/** Lines of a table, a line for each row of the first column, each figure with its ratio to the first; NaN was refused. */
export function tableOf(columns: readonly Column[]): readonly string[] {
  const names = [...(columns[0]?.figures.keys() ?? [])];
  const head = ['', ...columns.map(({ title }) => title)];
  const rows = names.map((name) => {
    const first = columns[0]?.figures.get(name) ?? NaN;
    return [name, ...columns.map(({ figures }, index) => cellOf(figures.get(name) ?? NaN, index === 0 ? undefined : first))];
  });
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]?.length ?? 0)));
  return [head, ...rows].map((row) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  '),
  );
}

function cellOf(figure: number, first: number | undefined): string {
  if (Number.isNaN(figure)) return 'refused';
  return first === undefined ? figure.toFixed(2) : `${figure.toFixed(2)} (${(figure / first).toFixed(2)})`;
}
