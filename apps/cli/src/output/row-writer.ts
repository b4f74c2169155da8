import type { LineOutput } from '../io/line-output';
import { type Column, tableHead, tableLine } from '../io/table';
import type { Format } from './settings';

export type Row = Readonly<Record<string, unknown>>;

/** The member at a path such as `severity.score`; undefined where there is none. */
export function memberAt(row: Row, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (isRow(value) ? value[name] : undefined), row);
}

/** An object with these members alone, each under its path; null where there is none. */
function picked(row: Row, paths: readonly string[]): Row {
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

/** Writes one object: a member a line in a table, one row of CSV, else JSON. */
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

/** Rows from which a table knows how wide its columns are; a wider cell later stands out of its column. */
const GATHERED = 200;

/** Writes rows as they come. */
export interface RowWriter {
  /** False when nobody reads any more (`| head`), and then the command should end. */
  write(row: Row): Promise<boolean>;
  /** What is still gathered, and the end of a list. */
  end(): Promise<void>;
  /** Ends a list that stays incomplete: what was read is written, and nothing where nothing was. */
  cutShort(): Promise<void>;
}

/** Gives `work` a writer, and ends what it has written, also where it fails: rows that were read, and paid for, are shown then too. */
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

/** What rows are written as. */
export interface RowForm {
  readonly format: Format;
  /** Members of a table or of CSV; of json and ndjson too where the user chose them. */
  readonly columns: readonly string[];
  readonly areChosen: boolean;
  /** Rows come one by one over time: none waits for others. */
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
  switch (format) {
    case 'table':
      return tableWriter(output, columns, isLive ? 1 : GATHERED);
    case 'csv':
      return csvWriter(output, columns);
    case 'ndjson':
      return ndjsonWriter(output, shown);
    case 'json':
      return jsonWriter(output, shown);
  }
}

function tableWriter(output: LineOutput, paths: readonly string[], gathered: number): RowWriter {
  let waiting: string[][] | undefined = [];
  let columns: readonly Column[] = [];

  async function flush(): Promise<boolean> {
    if (waiting === undefined) return true;
    const rows = waiting;
    waiting = undefined;
    columns = paths.map((path, at) => ({ title: path, width: Math.max(path.length, ...rows.map((cells) => cells[at]?.length ?? 0)) }));
    return output.write(tableHead(columns), ...rows.map((cells) => tableLine(columns, cells)));
  }

  return {
    async write(row) {
      const cells = paths.map((path) => cellText(memberAt(row, path)));
      if (waiting === undefined) return output.write(tableLine(columns, cells));
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

function csvWriter(output: LineOutput, paths: readonly string[]): RowWriter {
  let isBegun = false;
  const head = async (): Promise<void> => {
    if (!isBegun) await output.write(csvLine(paths));
    isBegun = true;
  };
  return {
    async write(row) {
      await head();
      return output.write(csvLine(paths.map((path) => memberAt(row, path))));
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
