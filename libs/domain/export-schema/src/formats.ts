/** Text columns that venues fill, or that hold base64: a spreadsheet runs a CSV cell that begins with `=`, `+`, `-` or `@`. */
const MARKED_COLUMNS: ReadonlySet<string> = new Set(['venue_id', 'signature']);

/** Regular expression of cells that CSV marks with a leading apostrophe; cells that begin with one are marked too, to stay reversible. */
export const MARKED_CELL = "^['=+\\-@\\t\\r]";

/** Returns true for a column whose cells may be marked in CSV. */
export function isMarkedInCsv(column: string): boolean {
  return MARKED_COLUMNS.has(column);
}

/** The value of a cell of such a column. */
export function unmarkedCell(cell: string): string {
  return cell.startsWith("'") ? cell.slice(1) : cell;
}

/** Formats of data files. */
export const FORMATS = ['parquet', 'csv', 'ndjson'] as const;

export type Format = (typeof FORMATS)[number];

export const COMPRESSIONS = ['none', 'gzip', 'zstd', 'snappy'] as const;

export type Compression = (typeof COMPRESSIONS)[number];

export const DEFAULT_FORMAT: Format = 'parquet';

export const DEFAULT_COMPRESSION: Compression = 'zstd';

const BY_FORMAT: Readonly<Record<Format, readonly Compression[]>> = {
  parquet: ['zstd', 'snappy', 'gzip', 'none'],
  csv: ['zstd', 'gzip', 'none'],
  ndjson: ['zstd', 'gzip', 'none'],
};

/** Compressions of a format, its default first. */
export function compressionsOf(format: Format): readonly Compression[] {
  return BY_FORMAT[format];
}

const SUFFIXES: Readonly<Record<Compression, string>> = { none: '', gzip: '.gz', zstd: '.zst', snappy: '' };

/** How the name of a data file ends, without a leading point: `parquet`, `csv.zst`. A Parquet file compresses within itself. */
export function fileExtension(format: Format, compression: Compression): string {
  return format === 'parquet' ? format : `${format}${SUFFIXES[compression]}`;
}

const MEDIA_TYPES: Readonly<Record<Format, string>> = {
  parquet: 'application/vnd.apache.parquet',
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
};

/** Media type of a data file as it is stored: that of the compressed bytes where the whole file is compressed. */
export function mediaTypeOf(format: Format, compression: Compression): string {
  if (format === 'parquet' || compression === 'none') return MEDIA_TYPES[format];
  return compression === 'gzip' ? 'application/gzip' : 'application/zstd';
}

/** Levels a side of a book that are recorded; a request for more gets these. */
export const RECORDED_DEPTH = 25;

/** Greatest depth that a request may name. */
export const DEPTH_MAX = 1000;

/** Levels a side of a book where the request names none: 25, in CSV 10. */
export function defaultDepth(format: Format): number {
  return format === 'csv' ? 10 : RECORDED_DEPTH;
}

/** Levels a side that the files have. */
export function depthWritten(format: Format, depth: number | undefined): number {
  return Math.min(depth ?? defaultDepth(format), RECORDED_DEPTH);
}
