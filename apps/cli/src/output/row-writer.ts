import type { LineOutput } from '../io/line-output';
import { type Column, fittingColumns, tableHead, tableLine, widened } from '../io/table';
import type { Format } from './settings';

export type Row = Readonly<Record<string, unknown>>;

/** Member at a path such as `severity.score`; undefined if missing. */
export function memberAt(row: Row, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (isRow(value) ? value[name] : undefined), row);
}

/** Member for a column of table or CSV: a symbol with a venue, without a column for it, in the form `BTCUSD-PERP@okx`. */
function columnAt(row: Row, path: string, paths: readonly string[]): unknown {
  const value = memberAt(row, path);
  const found = /^((?:.+\.)?)symbol$/.exec(path);
  if (found === null || typeof value !== 'string') return value;
  const venuePath = `${found[1]}venue`;
  const venue = paths.includes(venuePath) ? undefined : memberAt(row, venuePath);
  return typeof venue === 'string' ? `${value}@${venue}` : value;
}

/** Selects members by path; null if missing. */
function picked(row: Row, paths: readonly string[]): Row {
  return Object.fromEntries(paths.map((path) => [path, memberAt(row, path) ?? null]));
}

const ABSENT = 'not reported';

export function cellText(value: unknown): string {
  if (value === null || value === undefined) return ABSENT;
  if (Array.isArray(value)) return value.length === 0 ? 'none' : listText(value);
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value);
}

function listText(list: readonly unknown[]): string {
  return list.some((item) => typeof item === 'object' && item !== null) ? `${list.length} items` : list.join(', ');
}

const NEEDS_QUOTES = /[",\r\n]/;

/** Line of CSV (RFC 4180). Missing values are empty, lists are joined by `|`, objects are JSON. */
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

/** Identical in every answer, so left out of listings. */
const SAID_OF_ALL: ReadonlySet<string> = new Set(['meta']);

/** Leaf members with their paths. */
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

/** Undefined unless the text is JSON of an object. */
export function parsedRow(text: string): Row | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRow(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Members that have a value. */
export function present(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));
}

/** Lines of a table whose rows are all known. */
export function tableLines(rows: readonly Row[], paths: readonly string[], isStyled: boolean): readonly string[] {
  const cells = rows.map((row) => paths.map((path) => cellText(columnAt(row, path, paths))));
  const columns = fittingColumns(paths, cells, ABSENT);
  return [tableHead(columns, isStyled), ...cells.map((line) => tableLine(columns, line))];
}

/** Table: one line per member. CSV: one row. Otherwise JSON. */
export async function writeObject(output: LineOutput, row: Row, format: Format, fields: readonly string[] | undefined): Promise<void> {
  const shown = fields === undefined ? row : picked(row, fields);
  const members = fields === undefined ? flattened(row) : Object.entries(shown);
  switch (format) {
    case 'json':
      return void (await output.write(JSON.stringify(shown, null, 2)));
    case 'ndjson':
      return void (await output.write(JSON.stringify(shown)));
    case 'csv':
      return void (await output.write(csvLine(members.map(([path]) => path)), csvLine(members.map(([, value]) => value))));
    case 'table': {
      const width = Math.max(0, ...members.map(([path]) => path.length));
      const columns = [
        { title: '', width },
        { title: '', width: 0 },
      ];
      return void (await output.write(...members.map(([path, value]) => tableLine(columns, [path, cellText(value)]))));
    }
  }
}

/** A wider cell in a later row widens its column from there on. */
const GATHERED = 200;

export interface RowWriter {
  /** Returns false once the reader is gone (`| head`). */
  write(row: Row): Promise<boolean>;
  /** Writes buffered rows and closes the list. */
  end(): Promise<void>;
  /** Ends an incomplete list: writes the rows so far, or nothing if there were none. */
  cutShort(): Promise<void>;
}

/** Rows already read, and paid for, are shown even if `work` fails. */
export async function withRowWriter<T>(writer: RowWriter, work: (writer: RowWriter) => Promise<T>): Promise<T> {
  try {
    const result = await work(writer);
    await writer.end();
    return result;
  } catch (error) {
    await writer.cutShort();
    throw error;
  }
}

export interface RowForm {
  readonly format: Format;
  /** Columns of table and CSV; for json and ndjson only if the user chose them. */
  readonly columns: readonly string[];
  readonly areChosen: boolean;
  /** Rows arrive over time and are written without buffering. */
  readonly isLive: boolean;
}

export function createRowWriter(output: LineOutput, form: RowForm): RowWriter {
  const writer = writerOf(output, form);
  return {
    ...writer,
    async cutShort() {
      await writer.cutShort();
      output.handOn();
    },
  };
}

function writerOf(output: LineOutput, { format, columns, areChosen, isLive }: RowForm): RowWriter {
  const shown = (row: Row): Row => (areChosen ? picked(row, columns) : row);
  const valueAt = (row: Row, path: string): unknown => (areChosen ? memberAt(row, path) : columnAt(row, path, columns));
  switch (format) {
    case 'table':
      return tableWriter(output, columns, valueAt, isLive ? 1 : GATHERED);
    case 'csv':
      return csvWriter(output, columns, valueAt);
    case 'ndjson':
      return ndjsonWriter(output, shown);
    case 'json':
      return jsonWriter(output, shown);
  }
}

type ValueAt = (row: Row, path: string) => unknown;

function tableWriter(output: LineOutput, paths: readonly string[], valueAt: ValueAt, gathered: number): RowWriter {
  let waiting: string[][] | undefined = [];
  let columns: readonly Column[] = [];

  async function flush(): Promise<boolean> {
    if (waiting === undefined) return true;
    const rows = waiting;
    waiting = undefined;
    columns = fittingColumns(paths, rows, ABSENT);
    return output.write(tableHead(columns, output.isStyled), ...rows.map((cells) => tableLine(columns, cells)));
  }

  return {
    async write(row) {
      const cells = paths.map((path) => cellText(valueAt(row, path)));
      if (waiting === undefined) {
        columns = widened(columns, cells);
        return output.write(tableLine(columns, cells));
      }
      waiting.push(cells);
      return waiting.length < gathered || flush();
    },
    async end() {
      if (waiting?.length === 0) await output.write('no rows');
      else await flush();
    },
    async cutShort() {
      if (waiting?.length !== 0) await flush();
    },
  };
}

function ndjsonWriter(output: LineOutput, shown: (row: Row) => Row): RowWriter {
  const nothing = (): Promise<void> => Promise.resolve();
  return { write: (row) => output.write(JSON.stringify(shown(row))), end: nothing, cutShort: nothing };
}

function csvWriter(output: LineOutput, paths: readonly string[], valueAt: ValueAt): RowWriter {
  let isStarted = false;
  const head = async (): Promise<void> => {
    if (!isStarted) await output.write(csvLine(paths));
    isStarted = true;
  };
  return {
    async write(row) {
      await head();
      return output.write(csvLine(paths.map((path) => valueAt(row, path))));
    },
    end: head,
    cutShort: () => Promise.resolve(),
  };
}

function jsonWriter(output: LineOutput, shown: (row: Row) => Row): RowWriter {
  let last: string | undefined;
  const close = async (): Promise<void> => {
    if (last !== undefined) await output.write(last, ']');
  };
  return {
    async write(row) {
      const isOpen = last === undefined ? await output.write('[') : await output.write(`${last},`);
      last = indented(shown(row));
      return isOpen;
    },
    async end() {
      if (last === undefined) await output.write('[]');
      else await close();
    },
    cutShort: close,
  };
}

function indented(row: Row): string {
  return JSON.stringify(row, null, 2).replaceAll(/^/gm, '  ');
}
