export type Row = Readonly<Record<string, unknown>>;

/** The member at a path such as `severity.score`; undefined where there is none. */
export function memberAt(row: Row, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (isRow(value) ? value[name] : undefined), row);
}

/** An object with these members alone, each under its path; null where there is none. */
export function picked(row: Row, paths: readonly string[]): Row {
  return Object.fromEntries(paths.map((path) => [path, memberAt(row, path) ?? null]));
}

/** A value as a person reads it. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return 'not reported';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : listText(value);
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value);
}

function listText(list: readonly unknown[]): string {
  return list.some((item) => typeof item === 'object' && item !== null) ? `${list.length} items` : list.join(', ');
}

const NEEDS_QUOTES = /[",\r\n]/;

/** A line of CSV (RFC 4180). Absent is empty, a list is joined by `|`, an object is JSON. */
export function csvLine(values: readonly unknown[]): string {
  return values.map((value) => quoted(csvText(value))).join(',');
}

function csvText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join('|');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function quoted(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Says the same of every answer: it is left out where members are listed. */
const SAID_OF_ALL: ReadonlySet<string> = new Set(['meta']);

/** The members of an object and of the objects in it, by their paths. */
export function flattened(row: Row, prefix = ''): readonly (readonly [path: string, value: unknown])[] {
  return Object.entries(row).flatMap(([name, value]) => {
    const path = `${prefix}${name}`;
    if (SAID_OF_ALL.has(path)) return [];
    return isRow(value) ? flattened(value, `${path}.`) : [[path, value] as const];
  });
}

export function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
