import { open } from 'node:fs/promises';
import { UnreadableFileError } from './recorded-bytes';

const MAGIC = 'PAR1';
const ENGINE_MB = 512;
const CELL_TO_QUOTE = /[",\n\r]/;

export async function isParquet(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0);
    return buffer.toString('latin1', 0, bytesRead) === MAGIC;
  } finally {
    await file.close();
  }
}

/** The first column of a name that the file has is read. */
export type ColumnNames = readonly (readonly [name: string, column: string])[];

/**
 * A Parquet file as lines of CSV, in the file's order. Instants in a column whose new name ends in `_s`, `_ms`, `_us`
 * or `_ns` become a number since 1970 in that unit, others UTC text.
 * @param names columns to read, under new names; a file that has none of them is read with all columns, as they are named
 * @throws UnreadableFileError if the file is corrupt
 */
export async function* parquetLines(path: string, names: ColumnNames = [], signal?: AbortSignal): AsyncGenerator<readonly string[]> {
  // Loaded on first use: the engine is large and native.
  const { identifier, literal, openEngine } = await import('@market-state/archive');
  const engine = await openEngine({ memoryMb: ENGINE_MB });
  const connection = await engine.connect();
  try {
    const table = `read_parquet(${literal(path)}, hive_partitioning = false)`;
    const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${table}`);
    const types = new Map(described.getRows().map(([name, type]) => [String(name), String(type)]));
    const mapped = names.filter(
      ([name, from], index) => types.has(from) && !names.slice(0, index).some(([other, column]) => other === name && types.has(column)),
    );
    const columns = mapped.length > 0 ? mapped : [...types.keys()].map((name) => [name, name] as const);
    yield [columns.map(([name]) => cell(name)).join(',')];
    const selected = columns.map(([name, from]) => textOf(identifier(from), types.get(from) ?? '', name)).join(', ');
    const result = await connection.stream(`SELECT ${selected} FROM ${table}`);
    for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
      signal?.throwIfAborted();
      const values = columns.map((_, index) => chunk?.getColumnValues(index) ?? []);
      yield Array.from({ length: chunk.rowCount }, (_, row) => values.map((column) => cell(column[row] as string | null)).join(','));
    }
  } catch (error) {
    if (signal?.aborted === true || error instanceof UnreadableFileError) throw error;
    throw new UnreadableFileError(`corrupt Parquet: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  } finally {
    connection.closeSync();
    engine.close();
  }
}

function cell(text: string | null): string {
  if (text === null) return '';
  return CELL_TO_QUOTE.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const UNITS = new Map([
  ['ns', 'epoch_ns'],
  ['us', 'epoch_us'],
  ['ms', 'epoch_ms'],
  ['s', 'epoch'],
]);

function textOf(column: string, type: string, name: string): string {
  if (!type.startsWith('TIMESTAMP')) return `CAST(${column} AS VARCHAR)`;
  const instant = type.includes('TIME ZONE') ? `${column} AT TIME ZONE 'UTC'` : column;
  const convert = UNITS.get(/_(ns|us|ms|s)$/.exec(name)?.[1] ?? '');
  if (convert !== undefined) return `CAST(${convert}(${instant}) AS VARCHAR)`;
  return `strftime(CAST(${instant} AS TIMESTAMP), '%Y-%m-%dT%H:%M:%S.%fZ')`;
}
