/**
 * Text columns filled by venues or with base64. Spreadsheets execute CSV cells that begin with `=`, `+`, `-` or `@`.
 */
const MARKED_COLUMNS: ReadonlySet<string> = new Set(['venue_id', 'signature']);

/**
 * Regular expression of CSV cells that get a leading apostrophe. Cells that already begin with one get another, so that
 * it is reversible.
 */
export const MARKED_CELL = "^['=+\\-@\\t\\r]";

export function isMarkedInCsv(column: string): boolean {
  return MARKED_COLUMNS.has(column);
}

export function unmarkedCell(cell: string): string {
  return cell.startsWith("'") ? cell.slice(1) : cell;
}

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

/** Compressions of a format, default first. */
export function compressionsOf(format: Format): readonly Compression[] {
  return BY_FORMAT[format];
}

const SUFFIXES: Readonly<Record<Compression, string>> = { none: '', gzip: '.gz', zstd: '.zst', snappy: '' };

/** File name extension without the leading dot: `parquet`, `csv.zst`. Parquet compresses internally. */
export function fileExtension(format: Format, compression: Compression): string {
  return format === 'parquet' ? format : `${format}${SUFFIXES[compression]}`;
}

const MEDIA_TYPES: Readonly<Record<Format, string>> = {
  parquet: 'application/vnd.apache.parquet',
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
};

/** Media type of a stored data file: the compression's if the whole file is compressed. */
export function mediaTypeOf(format: Format, compression: Compression): string {
  if (format === 'parquet' || compression === 'none') return MEDIA_TYPES[format];
  return compression === 'gzip' ? 'application/gzip' : 'application/zstd';
}

/** Recorded book levels per side; requests for more get these. */
export const RECORDED_DEPTH = 25;

export const DEPTH_MAX = 1000;

/** Default book levels per side: 25, or 10 in CSV. */
export function defaultDepth(format: Format): number {
  return format === 'csv' ? 10 : RECORDED_DEPTH;
}

export function depthWritten(format: Format, depth: number | undefined): number {
  return Math.min(depth ?? defaultDepth(format), RECORDED_DEPTH);
}
