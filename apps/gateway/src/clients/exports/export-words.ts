import { exports } from '@market-state/contracts';
import type { Compression, Dataset, Format } from '@market-state/export-schema';
import { internal } from '@market-state/errors';
import type { Described } from '../../serving/openapi/described';

type Status = Described<'ExportJobRecord'>['status'];

const { Dataset: WireDataset, FileFormat: WireFormat, Compression: WireCompression, JobStatus: WireStatus } = exports;

export const WIRE_DATASETS: Readonly<Record<Dataset, exports.Dataset>> = {
  book: WireDataset.BOOK,
  trades: WireDataset.TRADES,
  candles: WireDataset.CANDLES,
  context: WireDataset.CONTEXT,
  liquidations: WireDataset.LIQUIDATIONS,
  packets: WireDataset.PACKETS,
};

export const WIRE_FORMATS: Readonly<Record<Format, exports.FileFormat>> = {
  parquet: WireFormat.PARQUET,
  csv: WireFormat.CSV,
  ndjson: WireFormat.NDJSON,
};

export const WIRE_COMPRESSIONS: Readonly<Record<Compression, exports.Compression>> = {
  none: WireCompression.NONE,
  gzip: WireCompression.GZIP,
  zstd: WireCompression.ZSTD,
  snappy: WireCompression.SNAPPY,
};

export const WIRE_STATUSES: Readonly<Record<Status, exports.JobStatus>> = {
  queued: WireStatus.QUEUED,
  running: WireStatus.RUNNING,
  publishing: WireStatus.PUBLISHING,
  ready: WireStatus.READY,
  failed: WireStatus.FAILED,
  cancelled: WireStatus.CANCELLED,
  expired: WireStatus.EXPIRED,
};

/**
 * The public word of a value of the wire.
 * @throws {ServiceError} INTERNAL for a value that has none
 */
export function wordOf<Word extends string, Wire>(words: Readonly<Record<Word, Wire>>, value: Wire): Word {
  const found = (Object.keys(words) as Word[]).find((word) => words[word] === value);
  if (found === undefined) throw internal({ detail: `the export service sent ${String(value)}` });
  return found;
}
