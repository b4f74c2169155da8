import type { Compression, Dataset, Format } from '@market-state/export-schema';
import type { ExportSpec } from '../jobs/spec';

/** Bytes of a row in a file, all columns, by dataset and format: measured on the bundled recordings with the default compression. */
const ROW_BYTES: Readonly<Record<Dataset, Readonly<Record<Format, number>>>> = {
  book: { parquet: 300, csv: 300, ndjson: 300 },
  trades: { parquet: 20, csv: 20, ndjson: 20 },
  liquidations: { parquet: 40, csv: 40, ndjson: 40 },
  context: { parquet: 20, csv: 20, ndjson: 20 },
  candles: { parquet: 30, csv: 30, ndjson: 30 },
  packets: { parquet: 2_000, csv: 2_000, ndjson: 2_000 },
};

/** How many times as large a file is with another compression. */
const LARGER: Readonly<Record<Compression, number>> = { zstd: 1, gzip: 1, snappy: 1.6, none: 6 };

/** About how large a file with so many rows is, bytes. */
export function estimatedBytes(
  { dataset, format, compression }: Pick<ExportSpec, 'dataset' | 'format' | 'compression'>,
  rows: number,
): number {
  return Math.ceil(rows * ROW_BYTES[dataset][format] * LARGER[compression]);
}
