import { type Engine, identifier, literal } from '@market-state/archive';
import { isMarkedInCsv, unmarkedCell } from '@market-state/export-schema';
import type { NamedCells } from '@market-state/market-data';
import type { ListedFile, Manifest } from './manifest';

/** A data file that cannot be read as what the manifest says it is. */
export class DataFileError extends Error {
  override readonly name = 'DataFileError';
}

/**
 * The rows of a data file in their order, in batches: cells by name. Lists come as lists of objects; in CSV every cell is text.
 * @throws {DataFileError} when it is not such a file, or its columns are not those of the manifest
 */
export async function* dataRows(
  engine: Engine,
  path: string,
  manifest: Manifest,
  { name }: Pick<ListedFile, 'name'>,
  signal: AbortSignal,
): AsyncGenerator<readonly NamedCells[]> {
  const connection = await engine.connect();
  try {
    const names = manifest.columns.map((column) => column.name);
    if (manifest.request.format === 'parquet') await checkColumns(connection, path, names);
    const result = await connection.stream(selectOf(path, manifest));
    let isHead = manifest.request.format === 'csv';
    for (;;) {
      signal.throwIfAborted();
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) break;
      const rows = chunk.getRows();
      if (isHead) checkNames(names, rows.shift() ?? []);
      isHead = false;
      yield rows.map((row) => cellsOf(manifest, row));
    }
    if (isHead) throw new DataFileError(`${name}: it has no header`);
  } catch (error) {
    if (signal.aborted || error instanceof DataFileError) throw error;
    throw new DataFileError(`it cannot be read: ${(error as Error).message.split('\n')[0] ?? ''}`, { cause: error });
  } finally {
    connection.closeSync();
  }
}

type Connection = Awaited<ReturnType<Engine['connect']>>;

async function checkColumns(connection: Connection, path: string, names: readonly string[]): Promise<void> {
  const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM read_parquet(${literal(path)}, hive_partitioning = false)`);
  checkNames(
    names,
    described.getRows().map(([name]) => name),
  );
}

function checkNames(names: readonly string[], found: readonly unknown[]): void {
  if (JSON.stringify(names) === JSON.stringify(found)) return;
  throw new DataFileError(`its columns are ${found.map(String).join(', ')}; the manifest says ${names.join(', ')}`);
}

function isTime({ type }: Manifest['columns'][number]): boolean {
  return type === 'TIMESTAMP' || type === 'TIMESTAMPTZ';
}

function isList({ type }: Manifest['columns'][number]): boolean {
  return type.endsWith('[]');
}

function selectOf(path: string, { columns, request }: Manifest): string {
  // A list as one JSON text: it is unpacked faster than value by value. A time as RFC 3339 text, of files with and without a zone.
  const list = columns.map((column) => {
    const name = identifier(column.name);
    if (isList(column)) return `to_json(${name})::VARCHAR`;
    const isStoredTime = isTime(column) && request.format === 'parquet';
    return isStoredTime ? `strftime(make_timestamp_ms(epoch_ms(${name})), '%Y-%m-%dT%H:%M:%S.%gZ')` : name;
  });
  switch (request.format) {
    case 'parquet':
      return `SELECT ${list.join(', ')} FROM read_parquet(${literal(path)}, hive_partitioning = false)`;
    case 'ndjson':
      return `SELECT ${list.join(', ')} FROM read_json(${literal(path)}, format = 'newline_delimited', columns = ${shapeOf(columns)})`;
    case 'csv':
      // The header is read as a row, so that it can be compared.
      return (
        `SELECT * FROM read_csv(${literal(path)}, auto_detect = false, header = false, delim = ',', quote = '"', escape = '"', ` +
        `nullstr = '', allow_quoted_nulls = false, columns = ${shapeOf(columns.map(({ name }) => ({ name, type: 'VARCHAR' })))})`
      );
  }
}

function shapeOf(columns: Manifest['columns']): string {
  const members = columns.map((column) => `${literal(column.name)}: ${literal(isTime(column) ? 'VARCHAR' : column.type)}`);
  return `{${members.join(', ')}}`;
}

function cellsOf({ columns, request }: Manifest, row: readonly unknown[]): NamedCells {
  const cells: Record<string, unknown> = {};
  for (const [index, column] of columns.entries()) {
    const value = row[index];
    if (typeof value !== 'string') cells[column.name] = value;
    else if (request.format !== 'csv') cells[column.name] = isList(column) ? JSON.parse(value) : value;
    else cells[column.name] = isMarkedInCsv(column.name) ? unmarkedCell(value) : value;
  }
  return cells;
}
