import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { type CellValue, type Column, identifier, literal, type Row } from './column';

/** A condition on a row: a whole number within [from, to), or one of a list, or one with none of the bits. */
export type Filter =
  | { readonly column: string; readonly from?: number; readonly to?: number }
  | { readonly column: string; readonly oneOf: readonly number[] }
  | { readonly column: string; readonly withoutBits: number };

export interface ParquetQuery {
  /** Columns to return, in this order. Lists of structs are for analysis and can't be read here. */
  readonly columns: readonly Column[];
  readonly filters: readonly Filter[];
  /** Column to sort by, the largest first; absent: the file's order. */
  readonly descendingBy?: string;
  /** Most rows; absent: all. */
  readonly limit?: number;
}

/**
 * The rows of a Parquet file that meet every filter, in batches of at most 2,048; blobs as Buffers. Row groups outside the filters are
 * not read.
 */
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

/** The number of rows of a Parquet file that meet every filter. */
export async function countParquet(connection: DuckDBConnection, file: string, filters: readonly Filter[]): Promise<number> {
  const result = await connection.runAndReadAll(`SELECT count(*) FROM ${tableOf(file)}${conditionOf(filters)}`);
  return Number(result.getRows()[0]?.[0]);
}

/** The rows of a Parquet file, as SQL. */
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
  if (!Number.isSafeInteger(value)) throw new RangeError(`no whole number: ${value}`);
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
