import { join } from 'node:path';
import type { DuckDBAppender, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import { type CellValue, type Column, identifier, literal, type Row, sqlTypeOf, type StructValue } from './column';
import { type DuckDb, openEngine } from './engine';

/** Rows of one row group: what a reader of a range unpacks at least. */
export const ROW_GROUP_ROWS = 4_096;
/** Rows handed to the engine at once: few enough that the process can do something else in between. */
const CHUNK_ROWS = 256;
const MEMORY_MB = 128;

/** What goes into a file. */
export interface ParquetContent {
  readonly columns: readonly Column[];
  /** Rows in the order in which they are to stand, in pieces of any size. */
  readonly rows: AsyncIterable<readonly Row[]>;
}

/**
 * Writes one Parquet file: zstd, row groups of 4,096 rows, rows in the order given. Holds at most 128 MiB; what is more goes to
 * `scratchFolder` meanwhile. Rejects with what `rows` rejects with; then `file` may be there in part.
 * @returns how many rows were written
 */
export async function writeParquet(file: string, { columns, rows }: ParquetContent, scratchFolder: string): Promise<number> {
  const engine = await openEngine({ spillFolder: join(scratchFolder, 'spill'), memoryMb: MEMORY_MB });
  try {
    return await engine.run(async (connection) => {
      await connection.run(`CREATE TABLE content (${columns.map((column) => `${identifier(column.name)} ${sqlTypeOf(column)}`).join(', ')})`);
      const appender = await connection.createAppender('content');
      let total = 0;
      try {
        const append = appenderOf(engine.duckDb, appender, columns);
        for await (const piece of rows) {
          for (let from = 0; from < piece.length; from += CHUNK_ROWS) append(piece.slice(from, from + CHUNK_ROWS));
          total += piece.length;
        }
      } finally {
        appender.closeSync();
      }
      await connection.run(`COPY content TO ${literal(file)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${ROW_GROUP_ROWS})`);
      return total;
    });
  } finally {
    engine.close();
  }
}

function appenderOf(duckDb: DuckDb, appender: DuckDBAppender, columns: readonly Column[]): (rows: readonly Row[]) => void {
  const types = columns.map((column) => typeOf(duckDb, column));
  const converters = columns.map((column) => converterOf(duckDb, column));
  return (rows) => {
    const chunk = duckDb.DuckDBDataChunk.create(types, rows.length);
    columns.forEach((_, index) => {
      const convert = converters[index] as Converter;
      chunk.setColumnValues(
        index,
        rows.map((row) => {
          const value = row[index];
          return value === null || value === undefined ? null : convert(value);
        }),
      );
    });
    appender.appendDataChunk(chunk);
  };
}

function typeOf(duckDb: DuckDb, { type }: Column): DuckDBType {
  if (typeof type !== 'string') return duckDb.LIST(duckDb.STRUCT(Object.fromEntries(type.list.map((field) => [field, duckDb.VARCHAR]))));
  switch (type) {
    case 'int16':
      return duckDb.SMALLINT;
    case 'int32':
      return duckDb.INTEGER;
    case 'int64':
      return duckDb.BIGINT;
    case 'text':
      return duckDb.VARCHAR;
    case 'blob':
      return duckDb.BLOB;
    case 'bool':
      return duckDb.BOOLEAN;
  }
}

type Converter = (value: NonNullable<CellValue>) => DuckDBValue;

function converterOf(duckDb: DuckDb, { type }: Column): Converter {
  if (typeof type !== 'string') return (value) => duckDb.listValue((value as readonly StructValue[]).map((element) => duckDb.structValue(element)));
  if (type === 'int64') return (value) => BigInt(value as number);
  if (type === 'blob') return (value) => new duckDb.DuckDBBlobValue(value as Uint8Array);
  return (value) => value as DuckDBValue;
}
