import type { Compression, Dataset, Format } from '@market-state/export-schema';
import type { ExportSpec } from '../jobs/spec';

type Sizes = Readonly<Record<Format, Readonly<Partial<Record<Compression, number>>>>>;

/**
 * Bytes of a row in a file with all columns, as `npm run bench -- exports` prints them: of the bundled recording while it is new, of the
 * scenario set for liquidations and context, of labelled recordings for packets.
 */
const ROW_BYTES: Readonly<Record<Dataset, Sizes>> = {
  book: {
    parquet: { zstd: 267, snappy: 443, gzip: 230, none: 1_807 },
    csv: { zstd: 120, gzip: 114, none: 648 },
    ndjson: { zstd: 268, gzip: 244, none: 3_410 },
  },
  trades: {
    parquet: { zstd: 14, snappy: 31, gzip: 16, none: 84 },
    csv: { zstd: 20, gzip: 20, none: 161 },
    ndjson: { zstd: 23, gzip: 21, none: 391 },
  },
  liquidations: {
    parquet: { zstd: 20, snappy: 40, gzip: 23, none: 68 },
    csv: { zstd: 29, gzip: 28, none: 152 },
    ndjson: { zstd: 32, gzip: 31, none: 397 },
  },
  context: {
    parquet: { zstd: 29, snappy: 51, gzip: 30, none: 89 },
    csv: { zstd: 35, gzip: 33, none: 176 },
    ndjson: { zstd: 41, gzip: 41, none: 505 },
  },
  candles: {
    parquet: { zstd: 55, snappy: 79, gzip: 59, none: 148 },
    csv: { zstd: 28, gzip: 31, none: 192 },
    ndjson: { zstd: 34, gzip: 38, none: 377 },
  },
  packets: {
    parquet: { zstd: 2_432, snappy: 9_972, gzip: 5_546, none: 34_622 },
    csv: { zstd: 2_504, gzip: 6_313, none: 37_364 },
    ndjson: { zstd: 2_490, gzip: 6_348, none: 37_411 },
  },
};

/** About how large a file with so many rows is, bytes. */
export function estimatedBytes(
  { dataset, format, compression }: Pick<ExportSpec, 'dataset' | 'format' | 'compression'>,
  rows: number,
): number {
  const sizes = ROW_BYTES[dataset][format];
  // A format has no other compressions than these; the largest stands for any.
  return Math.ceil(rows * (sizes[compression] ?? Math.max(...Object.values(sizes))));
}
