import type { DuckDBConnection } from '@duckdb/node-api';
import { literal } from '@market-state/archive';
import { DICTIONARY_SHARE, ROW_GROUP_ROWS } from '../parts/copy-rows';

/**
 * Size of Parquet files that are larger than a sample. A column's encoding depends on its row group: DuckDB gives a
 * dictionary to columns with few distinct values. So each column of the sample is encoded both ways, and its
 * number of distinct values follows Heaps' law, D(n) = k n^b with b from two sizes.
 */
export interface ColumnSizes {
  readonly half: Encoded;
  readonly whole: Encoded;
}

interface Encoded {
  readonly rows: number;
  readonly plainBytes: number;
  readonly dictionaryBytes: number;
  /** In the dictionary. */
  readonly distinct: number;
}

export interface FileSize {
  readonly rows: number;
  readonly bytes: number;
}

type Encode = (limits: { readonly rowsMax?: number; readonly dictionaryMax: number }) => Promise<FileSize>;

/**
 * Columns of the whole sample and of its first half.
 * @param valuesPerRow most values of a column in a row
 */
export async function measureColumns(
  connection: DuckDBConnection,
  file: string,
  { rows: wholeRows, valuesPerRow }: { readonly rows: number; readonly valuesPerRow: number },
  encode: Encode,
): Promise<readonly ColumnSizes[]> {
  // DuckDB allocates memory for as many values.
  const valuesMax = wholeRows * valuesPerRow;
  const encoded = async (rowsMax?: number): Promise<Encoded[]> => {
    const limit = rowsMax === undefined ? {} : { rowsMax };
    await encode({ ...limit, dictionaryMax: 1 });
    const plain = await readColumns(connection, file);
    const { rows } = await encode({ ...limit, dictionaryMax: valuesMax });
    const packed = await readColumns(connection, file);
    return plain.map(({ bytes }, index) => ({
      rows,
      plainBytes: bytes,
      dictionaryBytes: packed[index]?.bytes ?? bytes,
      distinct: packed[index]?.distinct ?? rows,
    }));
  };
  const whole = await encoded();
  const half = await encoded(Math.floor(wholeRows / 2));
  return whole.map((column, index) => ({ whole: column, half: half[index] ?? column }));
}

async function readColumns(
  connection: DuckDBConnection,
  file: string,
): Promise<{ readonly bytes: number; readonly distinct: number | undefined }[]> {
  const read = await connection.runAndReadAll(
    `SELECT sum(total_compressed_size), max(stats_distinct_count)
     FROM parquet_metadata(${literal(file)}) GROUP BY column_id ORDER BY column_id`,
  );
  return read.getRows().map(([bytes, distinct]) => ({
    bytes: Number(bytes),
    distinct: distinct === null ? undefined : Number(distinct),
  }));
}

/** @param sizes sizes of smaller files of the sample; the first is a file without rows */
export function sizeOfGroups(columns: readonly ColumnSizes[], sizes: readonly FileSize[], rows: number): number {
  const groups = Math.floor(rows / ROW_GROUP_ROWS);
  const rest = rows - groups * ROW_GROUP_ROWS;
  const ofGroup = (groupRows: number): number => columns.reduce((sum, column) => sum + sizeOfColumn(column, groupRows), 0);
  return Math.ceil((sizes[0]?.bytes ?? 0) + groups * ofGroup(ROW_GROUP_ROWS) + (rest > 0 ? ofGroup(rest) : 0));
}

function sizeOfColumn({ half, whole }: ColumnSizes, rows: number): number {
  const growth = Math.min(1, Math.max(0, Math.log2(whole.distinct / Math.max(1, half.distinct))));
  const distinct = whole.distinct * (rows / whole.rows) ** growth;
  const bytes = distinct <= rows * DICTIONARY_SHARE ? 'dictionaryBytes' : 'plainBytes';
  return whole[bytes] + ((whole[bytes] - half[bytes]) * (rows - whole.rows)) / Math.max(1, whole.rows - half.rows);
}
