import type { DuckDBAppender, DuckDBConnection, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import { type CellValue, type Column, identifier, literal, type Row, sqlTypeOf } from './column';
import { createBreather, type DuckDb, type Engine } from './engine';

/** Integer in [from, to), in a list, or with none of the bits set. */
export type Filter =
  | { readonly column: string; readonly from?: number; readonly to?: number }
  | { readonly column: string; readonly oneOf: readonly number[] }
  | { readonly column: string; readonly withoutBits: number };

export interface ParquetQuery {
  /** Columns to return, in order. Lists of structs cannot be read here. */
  readonly columns: readonly Column[];
  readonly filters: readonly Filter[];
  readonly descendingBy?: string;
  readonly limit?: number;
}

/** Batches of at most 2,048 rows; blobs are Buffers. */
export async function* readParquet(connection: DuckDBConnection, file: string, query: ParquetQuery): AsyncGenerator<readonly Row[]> {
  const { columns, filters, descendingBy, limit } = query;
  const names = columns.map(({ name }) => identifier(name)).join(', ');
  const order = descendingBy === undefined ? '' : ` ORDER BY ${identifier(descendingBy)} DESC`;
  const end = limit === undefined ? '' : ` LIMIT ${wholeNumber(limit)}`;
  const result = await connection.stream(`SELECT ${names} FROM ${tableOf(file)}${conditionOf(filters)}${order}${end}`);
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return;
    const values = columns.map((column, index) => chunk.getColumnValues(index).map((value) => cellOf(column, value)));
    yield Array.from({ length: chunk.rowCount }, (_, row) => values.map((column) => column[row] ?? null));
  }
}

export async function countParquet(connection: DuckDBConnection, file: string, filters: readonly Filter[]): Promise<number> {
  const result = await connection.runAndReadAll(`SELECT count(*) FROM ${tableOf(file)}${conditionOf(filters)}`);
  return Number(result.getRows()[0]?.[0]);
}

export function tableOf(file: string): string {
  return `read_parquet(${literal(file)}, hive_partitioning = false)`;
}

function conditionOf(filters: readonly Filter[]): string {
  const conditions = filters.flatMap((filter) => {
    const name = identifier(filter.column);
    if ('oneOf' in filter) return [filter.oneOf.length === 0 ? 'false' : `${name} IN (${filter.oneOf.map(wholeNumber).join(', ')})`];
    if ('withoutBits' in filter) return [`${name} & ${wholeNumber(filter.withoutBits)} = 0`];
    return [
      ...(filter.from === undefined ? [] : [`${name} >= ${wholeNumber(filter.from)}`]),
      ...(filter.to === undefined ? [] : [`${name} < ${wholeNumber(filter.to)}`]),
    ];
  });
  return conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
}

function wholeNumber(value: number): string {
  if (!Number.isSafeInteger(value)) throw new RangeError(`not an integer: ${value}`);
  return String(value);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function cellOf({ name, type }: Column, value: DuckDBValue): CellValue {
  if (value === null) return null;
  switch (type) {
    case 'int64':
      return Number(value as bigint);
    case 'blob':
      return asBuffer((value as { readonly bytes: Uint8Array }).bytes);
    case 'int16':
    case 'int32':
    case 'text':
    case 'bool':
      return value as number | string | boolean;
    default:
      throw new RangeError(`column ${name} is a list`);
  }
}

const ROW_GROUP_ROWS = 4_096;
const CHUNK_ROWS = 128;
/** A single flush at the end would block the process. */
const FLUSH_CHUNKS = 8;

interface ParquetContent {
  readonly columns: readonly Column[];
  readonly rows: AsyncIterable<readonly Row[]>;
  /** Default `zstd`; `uncompressed` suits temporary files. */
  readonly compression?: 'zstd' | 'uncompressed';
}

/** Row groups of 4,096. Rejects with the error of `rows`; `file` may then be partial. */
export function writeParquet(engine: Engine, file: string, { columns, rows, compression = 'zstd' }: ParquetContent): Promise<void> {
  return engine.run(async (connection) => {
    await connection.run(
      `CREATE TABLE content (${columns
        .map((column) => `${identifier(column.name)} ${isList(column) ? 'VARCHAR' : sqlTypeOf(column)}`)
        .join(', ')})`,
    );
    // Flushes do not commit; the single commit runs on the engine's thread.
    await connection.run('BEGIN');
    await appendAll(engine.duckDb, connection, columns, rows);
    await connection.run('COMMIT');
    await connection.run(
      `COPY (SELECT ${columns.map(unpacked).join(', ')} FROM content) TO ${literal(file)} (FORMAT parquet, COMPRESSION ${compression},
        ROW_GROUP_SIZE ${ROW_GROUP_ROWS})`,
    );
    await connection.run('DROP TABLE content');
  });
}

function isList({ type }: Column): boolean {
  return typeof type !== 'string';
}

/** JSON text, because one call per text would be many times slower. */
function unpacked(column: Column): string {
  const name = identifier(column.name);
  if (typeof column.type === 'string') return name;
  const shape = JSON.stringify([Object.fromEntries(column.type.list.map((field) => [field, 'VARCHAR']))]);
  return `from_json_strict(${name}, ${literal(shape)}) AS ${name}`;
}

async function appendAll(
  duckDb: DuckDb,
  connection: DuckDBConnection,
  columns: readonly Column[],
  rows: AsyncIterable<readonly Row[]>,
): Promise<void> {
  const appender = await connection.createAppender('content');
  const breathe = createBreather();
  let chunks = 0;
  try {
    const append = appenderOf(duckDb, appender, columns);
    for await (const piece of rows) {
      for (let from = 0; from < piece.length; from += CHUNK_ROWS) {
        append(piece, from, Math.min(from + CHUNK_ROWS, piece.length));
        chunks += 1;
        if (chunks % FLUSH_CHUNKS === 0) appender.flushSync();
        await breathe();
      }
    }
  } finally {
    appender.closeSync();
  }
}

function appenderOf(
  duckDb: DuckDb,
  appender: DuckDBAppender,
  columns: readonly Column[],
): (rows: readonly Row[], from: number, to: number) => void {
  const types = columns.map((column) => typeOf(duckDb, column));
  const converters = columns.map((column) => converterOf(duckDb, column));
  return (rows, from, to) => {
    const chunk = duckDb.DuckDBDataChunk.create(types, to - from);
    converters.forEach((convert, index) => {
      const vector = chunk.getColumnVector(index);
      for (let at = from; at < to; at += 1) {
        const value = rows[at]?.[index];
        vector.setItem(at - from, value === null || value === undefined ? null : convert(value));
      }
      vector.flush();
    });
    appender.appendDataChunk(chunk);
  };
}

function typeOf(duckDb: DuckDb, { type }: Column): DuckDBType {
  switch (type) {
    case 'int16':
      return duckDb.SMALLINT;
    case 'int32':
      return duckDb.INTEGER;
    case 'int64':
      return duckDb.BIGINT;
    case 'blob':
      return duckDb.BLOB;
    case 'bool':
      return duckDb.BOOLEAN;
    default:
      return duckDb.VARCHAR;
  }
}

type Converter = (value: NonNullable<CellValue>) => DuckDBValue;

function converterOf(duckDb: DuckDb, column: Column): Converter {
  if (isList(column)) return (value) => JSON.stringify(value);
  if (column.type === 'int64') return (value) => BigInt(value as number);
  if (column.type === 'blob') return (value) => new duckDb.DuckDBBlobValue(value as Uint8Array);
  return (value) => value as DuckDBValue;
}
