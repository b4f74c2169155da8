/** Text columns that venues fill, or that hold base64: a spreadsheet runs a CSV cell that begins with `=`, `+`, `-` or `@`. */
const MARKED_COLUMNS: ReadonlySet<string> = new Set(['venue_id', 'signature']);

/** Regular expression of cells that CSV marks with a leading apostrophe; cells that begin with one are marked too, to stay reversible. */
export const MARKED_CELL = "^['=+\\-@\\t\\r]";

/** Returns true for a column whose cells may be marked in CSV. */
export function isMarkedInCsv(column: string): boolean {
  return MARKED_COLUMNS.has(column);
}

/** The value of a cell of such a column. */
export function unmarkedCell(cell: string): string {
  return cell.startsWith("'") ? cell.slice(1) : cell;
}
